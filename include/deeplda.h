/* SPDX-License-Identifier: MIT
 *
 * deeplda.h - train and apply Deep Linear Discriminant Analysis networks.
 *
 * DeepLDA (Dorfer, Kelz, Widmer, ICLR 2016) trains a network by stochastic gradient descent so that, on each
 * mini-batch, the smallest eigenvalues of the LDA problem Sb e = v (Sw + lambda I) e grow. The features become
 * linearly separable, and an LDA in closed form classifies them. docs/method.md has the mathematics.
 *
 * The shortest useful program (examples/train.c is the same with its errors checked):
 *
 *     dlda_options *options = NULL;   dlda_options_create(&options);
 *     dlda_dataset *train = NULL;     dlda_dataset_read("digits", DLDA_PART_TRAIN, &train);
 *     dlda_trainer *trainer = NULL;   dlda_trainer_create(options, train, NULL, &trainer);
 *     dlda_trainer_run(trainer);
 *     dlda_model_save(dlda_trainer_model(trainer), "digits.safetensors");
 *
 * deeplda_lda.h has what works without a network: classic LDA, linear SVMs, and the objectives for training loops
 * of one's own. docs/embedding.md: compiling, static linking, memory.
 *
 * Rules for the whole library:
 * - Ownership: what a _create, _read, _load, _fit or _split returns is released with _destroy, which accepts NULL.
 *   Strings and arrays behind `const` pointers belong to the object they came from.
 * - Errors:    functions that can fail return dlda_status. Results come through the last arguments and are written
 *   only on DLDA_OK. dlda_last_error() explains the latest failure of the calling thread.
 * - NULL:      a comment says which arguments may be NULL; an array of 0 elements always may. Any other NULL makes a
 *   function that returns a status fail with DLDA_E_ARGUMENT and name the argument. Other functions return 0, NULL,
 *   NaN for a fraction or distance, -1 for a label, or do nothing.
 * - Threads:   a dlda_model, dlda_dataset or dlda_lda is const once made and may be shared by threads; for
 *   predictions each thread has its own dlda_workspace. Other objects belong to one thread at a time.
 * - Manners:   the library never exits, prints or touches signals. It uses its own threads; OpenBLAS is set to one
 *   thread during calls that use it, and to its former number afterwards.
 * - Results:   the same seed gives the same bits for any number of threads, on one kind of processor and with the
 *   same libraries. Numbers in texts and files have a decimal point in every locale.
 * - Arrays:    row-major; shapes are written [rows][columns], images are [height][width][channels].
 * - Structs:   set structs that you fill in to zero first (`dlda_x_spec spec = { ... }` does). New fields are added at
 *   the end, and 0 keeps the former behaviour; the soname changes then. Structs made by the library may grow.
 */
#ifndef DEEPLDA_H
#define DEEPLDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLDA_API __attribute__((visibility("default")))

/* The version of this header, as text and as 10000 major + 100 minor + patch; dlda_version() is the library's. */
#define DLDA_VERSION        "0.1.0"
#define DLDA_VERSION_NUMBER 100
DLDA_API const char *dlda_version(void);

/* ---- Errors ------------------------------------------------------------------------------------------------- */

typedef enum dlda_status {
    DLDA_OK = 0,
    DLDA_E_ARGUMENT, /* a value given by the caller makes no sense                                    */
    DLDA_E_OPTION,   /* an option that does not exist, or a value outside its range                   */
    DLDA_E_MEMORY,   /* out of memory, or a size that does not fit                                    */
    DLDA_E_IO,       /* a file cannot be opened, read or written                                      */
    DLDA_E_EXISTS,   /* something exists and was not to be overwritten                                */
    DLDA_E_FORMAT,   /* a file does not follow its format                                             */
    DLDA_E_SHAPE,    /* sizes that must agree do not: images and network, rows and labels             */
    DLDA_E_CLASS,    /* fewer than two classes with at least two samples                              */
    DLDA_E_NUMERIC,  /* values that are not finite, a matrix that is not positive definite            */
    DLDA_E_STOPPED,  /* the stop function of a dlda_watch asked for it                                */
    DLDA_E_RANK      /* another process of a dlda_comm failed                                         */
} dlda_status;

/* A few words for a status, e.g. "wrong format". */
DLDA_API const char *dlda_status_text(dlda_status status);

/* One sentence on the latest failure in this thread: what failed, where, value found, value expected. It is "" before
 * the first failure and valid until this thread's next failure. */
DLDA_API const char *dlda_last_error(void);

/* ---- Options ------------------------------------------------------------------------------------------------ */

/* What decides a training or a model, how a training runs, and where its data are: values by name, as text, with the
 * same names and values as on the command line (docs/options.md). Defaults are the paper's where it names one. */
typedef struct dlda_options dlda_options;

DLDA_API dlda_status dlda_options_create(dlda_options **options);
/* Copies the values and which of them were set explicitly. */
DLDA_API dlda_status dlda_options_copy(const dlda_options *options, dlda_options **copy);
DLDA_API void dlda_options_destroy(dlda_options *options);

/* Sets option `name` ("rate", "batch", "objective", ...) explicitly: presets and files do not override it. A flag takes
 * "true" or "false". An unknown name or choice, or a value out of range, is DLDA_E_OPTION. */
DLDA_API dlda_status dlda_options_set(dlda_options *options, const char *name, const char *value);
/* The value as text, valid until the option is set again; NULL if there is no such option. */
DLDA_API const char *dlda_options_get(const dlda_options *options, const char *name);
/* 1 if it was set explicitly. */
DLDA_API int dlda_options_is_given(const dlda_options *options, const char *name);

/* Sets what suits a known data set (digits, mnist, cifar10, stl10), as in the paper where it says so. */
DLDA_API dlda_status dlda_options_preset(dlda_options *options, const char *data);

typedef enum dlda_option_type {
    DLDA_OPTION_WHOLE,  /* a whole number, least to most         */
    DLDA_OPTION_REAL,   /* a number, least to most               */
    DLDA_OPTION_TEXT,   /* any text of up to 4095 bytes          */
    DLDA_OPTION_CHOICE, /* one of the choices                    */
    DLDA_OPTION_FLAG,   /* "true" or "false"                     */
    DLDA_OPTION_SIZE    /* "32x48", "32" for 32x32, "" for none  */
} dlda_option_type;

/* A row of the table of options, from which programs build parsers and help texts. */
typedef struct dlda_option_info {
    const char *name;     /* "rate"                                                       */
    const char *argument; /* stands for the value in a help text; NULL for a flag         */
    const char *initial;  /* default value as text                                        */
    const char *choices;  /* "lda|cce", NULL if it is not a choice                        */
    double least, most;   /* range of a number                                            */
    const char *help;     /* one or two sentences                                         */
    dlda_option_type type;
    int decides_result; /* 1: the model depends on it; files record these and no others */
} dlda_option_info;

typedef struct dlda_preset {
    const char *data, *objective; /* objective: "cce" for those with a softmax, "lda" for the others, or "" for all */
    const char *option, *value;
} dlda_preset;

/* Row i of the table of options and of the presets, from 0; NULL behind the last one. */
DLDA_API const dlda_option_info *dlda_option_at(size_t i);
DLDA_API const dlda_preset *dlda_preset_at(size_t i);

/* ---- Data --------------------------------------------------------------------------------------------------- */

/* A set of images of one size (or vectors: height 1, width 1), each with a class label. */
typedef struct dlda_dataset dlda_dataset;

typedef enum dlda_part { DLDA_PART_TRAIN, DLDA_PART_TEST } dlda_part;

/* Why a picture cannot be used: it has another size than the model's; its format is known but not read (GIF, WebP, ...). */
typedef enum dlda_unfit { DLDA_UNFIT_SIZE, DLDA_UNFIT_FORMAT } dlda_unfit;

/* What to read, and how. Only `path` is required. */
typedef struct dlda_read_spec {
    const char *path;         /* "digits", "mnist", ..., or a file or folder in a known format                */
    dlda_part part;           /* of a set that has two parts; a single file is a training part                */
    const char *format;       /* NULL: recognised from the content                                            */
    size_t height, width;     /* images are resized to this; 0, 0: they are not. A folder of pictures that have
                                 different sizes, or a side of more than 96 pixels, then gets a size of its own */
    size_t channels;          /* 0: unchanged; 1 or 3                                                         */
    const char *label;        /* tables: the column of the labels, by name or number from 1;
                                 CIFAR-100: "fine" or "coarse"                                                */
    const char *const *names; /* [classes]: labels are positions in this list; NULL: as the data have them    */
    size_t classes;           /* length of that list                                                          */
    size_t threads;           /* that decode pictures; 0: one per core                                        */
    int skip_bad;             /* skip samples that cannot be read                                             */
    int name_all;             /* with skip_bad, a problem for each picture of another format, not one for all */
    void *user;               /* argument of the functions below                                              */
    void (*problem)(void *user, const char *message); /* called for every sample that is skipped              */
    void (*note)(void *user, const char *message);    /* called for what was decided about the data, such as a
                                                         size for pictures, and for possible oversights       */
    void (*unfit)(void *user, dlda_unfit reason, const char *message); /* see dlda_model_read_pictures        */
    size_t fixed_height, fixed_width; /* 0, 0: any; otherwise pictures of another size are an error           */
    size_t features; /* dlda_dataset_open_images: a CSV table with exactly so many columns has no labels, unless
                        `label` names one; 0: the labels are always a column                                  */
    const char *const *columns; /* [features]: in a CSV table with a header, the features are the columns of these
                                   names, and others are ignored; NULL: by position                           */
    size_t
        most_pixels;   /* pictures with more are refused, by their header; 0: 67108864. Decoding takes up to 4 bytes
                           per pixel, of a progressive JPEG up to 10                                          */
    size_t most_scans; /* progressive JPEGs with more are refused; 0: 100. Each scan costs time              */
    size_t most_bytes; /* compressed files (.gz, .npz) that expand to more are refused, and so are arrays that are
                          resized to more; 0: 268435456, or 64 times the size before if that is more         */
} dlda_read_spec;

/* Takes format, label, height, width and threads from the options, which own the texts. */
DLDA_API void dlda_read_spec_use_options(dlda_read_spec *spec, const dlda_options *options);
/* For more data of the same kind: the channels, class names and column names of `dataset`, which must outlive the
 * reading. Unless `spec` has a size, pictures are resized if those of `dataset` were; otherwise they must have its
 * size. */
DLDA_API void dlda_read_spec_use_dataset(dlda_read_spec *spec, const dlda_dataset *dataset);

/* Reads one part of a labelled set. docs/data_formats.md describes the formats: the embedded "digits"; "mnist",
 * "cifar10" and "stl10", folders in the data folder unless a file or folder of that name exists; IDX; binary CIFAR and
 * STL-10; folders of PNG and JPEG pictures; .npy, .npz, CSV. */
DLDA_API dlda_status dlda_dataset_open(const dlda_read_spec *spec, dlda_dataset **dataset);
DLDA_API dlda_status dlda_dataset_read(const char *path, dlda_part part, dlda_dataset **dataset);
/* Reads images that need no labels: also a single picture, a flat folder of pictures, arrays without labels. */
DLDA_API dlda_status dlda_dataset_open_images(const dlda_read_spec *spec, dlda_dataset **dataset);
DLDA_API dlda_status dlda_dataset_read_images(const char *path, size_t channels, dlda_dataset **dataset);

/* What is at spec->path: 1 if there is anything of that part; 1 if there are labels; the format, a value of option
 * format. The first two are -1 if it cannot be read; dlda_dataset_open then says why, unless it succeeds. */
DLDA_API int dlda_dataset_has_part(const dlda_read_spec *spec);
DLDA_API int dlda_dataset_has_labels(const dlda_read_spec *spec);
DLDA_API dlda_status dlda_dataset_format(const dlda_read_spec *spec, const char **format);
/* The size of the picture at spec->path, by its header, without decoding it. */
DLDA_API dlda_status dlda_picture_size(const dlda_read_spec *spec, size_t *height, size_t *width, size_t *channels);

/* $DEEPLDA_DATA, else $XDG_CACHE_HOME/deeplda, else ~/.cache/deeplda; released with dlda_text_destroy. */
DLDA_API dlda_status dlda_data_folder(char **folder);

typedef struct dlda_dataset_spec {
    size_t count, height, width, channels;
    size_t classes;           /* labels are 0 .. classes-1                                            */
    const int *labels;        /* [count], NULL if unknown                                             */
    const uint8_t *bytes;     /* [count][height][width][channels], scaled by 1/255; or else:          */
    const float *values;      /* the same shape, used unchanged; must be finite                       */
    const char *const *names; /* [classes], NULL for "0", "1", ...                                    */
    int borrow;               /* 0: bytes or values are copied. 1: they are not; they must outlive the set and
                                 all sets made from it, unchanged. Labels and names are always copied. */
} dlda_dataset_spec;

/* Makes a data set from arrays, of any alignment. */
DLDA_API dlda_status dlda_dataset_create(const dlda_dataset_spec *spec, dlda_dataset **dataset);
DLDA_API void dlda_dataset_destroy(dlda_dataset *dataset);

DLDA_API size_t dlda_dataset_count(const dlda_dataset *dataset);
DLDA_API size_t dlda_dataset_height(const dlda_dataset *dataset);
DLDA_API size_t dlda_dataset_width(const dlda_dataset *dataset);
DLDA_API size_t dlda_dataset_channels(const dlda_dataset *dataset);
/* 1 if the data are pictures for which this height and width was chosen. A trainer records it as option resize. */
DLDA_API int dlda_dataset_is_resized(const dlda_dataset *dataset);
DLDA_API size_t dlda_dataset_classes(const dlda_dataset *dataset);
DLDA_API const char *dlda_dataset_class_name(const dlda_dataset *dataset, size_t label);
/* The label of sample i, -1 if it has none; all labels [count], NULL if there are none. */
DLDA_API int dlda_dataset_label(const dlda_dataset *dataset, size_t i);
DLDA_API const int *dlda_dataset_labels(const dlda_dataset *dataset);
/* The file of sample i, relative to the path that was read; NULL if a file holds many samples. */
DLDA_API const char *dlda_dataset_sample_file(const dlda_dataset *dataset, size_t i);
/* The position of sample i, from 0, in the part that was read: also in a set that was divided from it. */
DLDA_API size_t dlda_dataset_sample_index(const dlda_dataset *dataset, size_t i);
/* Samples first .. first+n-1 as a network takes them: images [n][height][width][channels]. */
DLDA_API dlda_status dlda_dataset_images(const dlda_dataset *dataset, size_t first, size_t n, float *images);

/* The following make sets that share the images; all of them may be destroyed in any order. Samples are drawn class by
 * class in equal shares, at random by `seed`. */

/* `count` samples go into `second`, the others into `first`; `count` samples alone. */
DLDA_API dlda_status dlda_dataset_split(const dlda_dataset *dataset, size_t count, uint64_t seed,
                                        dlda_dataset **first, dlda_dataset **second);
DLDA_API dlda_status dlda_dataset_subset(const dlda_dataset *dataset, size_t count, uint64_t seed,
                                         dlda_dataset **subset);
/* Cross-validation: of `folds` parts of equal size, part `fold` (from 1) is held out. */
DLDA_API dlda_status dlda_dataset_folds(const dlda_dataset *dataset, size_t folds, size_t fold, uint64_t seed,
                                        dlda_dataset **train, dlda_dataset **held_out);
/* Some sets (STL-10) define training folds of their own: how many, and fold number `fold`, from 1. */
DLDA_API size_t dlda_dataset_own_folds(const dlda_dataset *dataset);
DLDA_API dlda_status dlda_dataset_fold(const dlda_dataset *dataset, size_t fold, dlda_dataset **train);
/* Divides as the options subset, folds, fold, validation, split-seed and seed say; *validation is NULL if nothing is held
 * out. Models record these options for a set divided here, and for any other only the number of validation samples. */
DLDA_API dlda_status dlda_dataset_divide(const dlda_dataset *all, const dlda_options *options, dlda_dataset **train,
                                         dlda_dataset **validation);

typedef enum dlda_data_format {
    DLDA_FORMAT_IDX, /* train-images-idx3-ubyte, ...: bytes, up to 256 classes, without their names             */
    DLDA_FORMAT_NPY, /* X_train.npy, y_train.npy, ...: bytes or floats, whole numbers as labels                 */
    DLDA_FORMAT_PNG  /* train/CLASS/000001.png, ...: bytes, 1 or 3 channels                                     */
} dlda_data_format;

/* Writes a labelled set as one part into a folder, which is created if needed. Files appear complete and replace those of
 * their name; an existing folder of PNG files is DLDA_E_EXISTS. */
DLDA_API dlda_status dlda_dataset_write(const dlda_dataset *dataset, dlda_part part, dlda_data_format format,
                                        const char *folder);

/* ---- Training ----------------------------------------------------------------------------------------------- */

/* One epoch. Accuracies are fractions, of an LDA fitted on the features of the training set; they are NaN, without
 * eigenvalues, for epochs that option measure-every skips. */
typedef struct dlda_epoch {
    size_t epoch;      /* from 1                                                          */
    double loss;       /* mean over the batches of what is minimised                      */
    double separation; /* mean of what an lda objective maximises; NaN otherwise          */
    double rate;       /* learning rate                                                   */
    double train_accuracy;
    double validation_accuracy; /* NaN without a validation set                                    */
    double images_per_second;   /* of the training steps                                           */
    double seconds;             /* of the whole epoch, including any part before an interruption   */
    int best;                   /* 1: the best epoch so far; its model is kept                     */
    size_t n_eigenvalues;       /* of the LDA on the training features, largest first              */
    const double *eigenvalues;
} dlda_epoch;

/* After each batch. */
typedef struct dlda_progress {
    size_t epoch, epochs;       /* epoch: from 1                                                   */
    size_t batch, batches;      /* done in this epoch, and their number                            */
    double value;               /* of the objective on this batch                                  */
    double smallest, largest;   /* eigenvalue of this batch; NaN with cce                          */
    size_t selected;            /* eigenvalues that are maximised                                  */
    double validation_accuracy; /* of the previous epoch; NaN if there is none                     */
    double images_per_second;   /* mean of this epoch                                              */
    double seconds_left;        /* of the whole training, estimated                                */
    double loader_seconds;      /* processor time of the loader thread for this batch              */
    double waiting;             /* share of the time in which ranks wait for others; 0 with one     */
} dlda_progress;

/* The phases of a training step, in order. */
typedef enum dlda_phase {
    DLDA_PHASE_GATHER,    /* wait for the batch, which the loader thread makes during the previous step */
    DLDA_PHASE_FORWARD,   /* features of the batch                                                      */
    DLDA_PHASE_OBJECTIVE, /* loss and gradient of the features                                          */
    DLDA_PHASE_BACKWARD,  /* gradient of the weights                                                    */
    DLDA_PHASE_OPTIMISER  /* update of the weights                                                      */
} dlda_phase;

/* Callbacks, called from the thread that runs the trainer; each may be NULL. */
typedef struct dlda_watch {
    void *user; /* first argument of each */
    void (*log)(void *user, const char *message);
    void (*batch)(void *user, const dlda_progress *progress);
    void (*epoch)(void *user, const dlda_epoch *epoch);
    int (*stop)(void *user); /* after each batch of dlda_trainer_run and _run_epoch: 1 to stop */
    void (*phase)(void *user, dlda_phase finished);
} dlda_watch;

/* Called for each option that is chosen, with its value and the reason in a few words. */
typedef void dlda_choice_fn(void *user, const char *option, const char *value, const char *reason);

/* Sets options that were not set explicitly to what suits these training samples: network, preparation, objective, batch,
 * epochs, schedule, patience, measurements, augmentation. For data without presets. `tell` may be NULL. */
DLDA_API dlda_status dlda_options_choose(dlda_options *options, const dlda_dataset *train, dlda_choice_fn *tell,
                                         void *user);

typedef struct dlda_model dlda_model;
typedef struct dlda_trainer dlda_trainer;

/* Takes all memory of the training. The data sets must outlive the trainer; `validation` may be NULL. A batch larger than
 * the training set is refused if it was set explicitly, and reduced otherwise. */
DLDA_API dlda_status dlda_trainer_create(const dlda_options *options, const dlda_dataset *train,
                                         const dlda_dataset *validation, dlda_trainer **trainer);
DLDA_API void dlda_trainer_destroy(dlda_trainer *trainer);
/* Starts from the weights of `model`, which must have the same network, as option init does from those of a file. Before
 * the first step. */
DLDA_API dlda_status dlda_trainer_start_from(dlda_trainer *trainer, const dlda_model *model);
/* Copies *watch; NULL: no callbacks. */
DLDA_API void dlda_trainer_watch(dlda_trainer *trainer, const dlda_watch *watch);

/* Records the run in `folder`, which must not exist unless `force`: options.json, history.csv, eigenvalues.csv,
 * model.safetensors and run.json after each epoch (at most once per second), checkpoint.safetensors also every few minutes.
 * Before the first step. */
DLDA_API dlda_status dlda_trainer_record(dlda_trainer *trainer, const char *folder, int force);
/* Continues the run recorded in `folder` from its last checkpoint, with the same bits as without the interruption. For a
 * new trainer with the same data and options, except epochs and those that do not decide the result. */
DLDA_API dlda_status dlda_trainer_resume(dlda_trainer *trainer, const char *folder);

/* Trains for the epochs of the options, or until its patience ends. After DLDA_E_STOPPED the history and the best model
 * are those of the complete epochs, and the record has a checkpoint after the last batch. */
DLDA_API dlda_status dlda_trainer_run(dlda_trainer *trainer);
/* The same under the caller's control: a batch (the last one of an epoch includes all that ends an epoch) or the rest of
 * an epoch at a time, until complete; then finish, which fits the LDA of the best model on all training data and releases the
 * memory of the network's values. Finishing earlier is allowed; a later step takes that memory again. */
DLDA_API dlda_status dlda_trainer_run_step(dlda_trainer *trainer);
DLDA_API dlda_status dlda_trainer_run_epoch(dlda_trainer *trainer);
DLDA_API int dlda_trainer_is_complete(const dlda_trainer *trainer);
DLDA_API dlda_status dlda_trainer_finish(dlda_trainer *trainer);

/* The model of the epoch that is best on the validation set, or of the last epoch without one; NULL before the first
 * epoch is complete. Further training changes it, and then it needs a new workspace; dlda_model_copy makes one that stays,
 * and outlives the trainer. */
DLDA_API const dlda_model *dlda_trainer_model(const dlda_trainer *trainer);
DLDA_API const dlda_epoch *dlda_trainer_history(const dlda_trainer *trainer, size_t *count);

typedef enum dlda_run_state {
    DLDA_RUN_UNKNOWN, /* no epoch is complete yet, or only a checkpoint was read                   */
    DLDA_RUN_RUNNING, /* also if its process is on another machine                                 */
    DLDA_RUN_COMPLETE,
    DLDA_RUN_STOPPED, /* by its user                                                               */
    DLDA_RUN_FAILED,
    DLDA_RUN_LOST /* its process is gone without having recorded an end                        */
} dlda_run_state;

/* What is known of a recorded run; unknown texts are "". */
typedef struct dlda_run_info {
    dlda_run_state state;
    size_t process;                    /* that trained last; 0: unknown                             */
    size_t epochs_done;                /* complete epochs, as of the newest intact checkpoint       */
    size_t batches_done;               /* batches of the epoch in progress                          */
    size_t steps_done;                 /* batches in all                                            */
    size_t best_epoch;                 /* 0: none yet                                               */
    double best_accuracy;              /* on the validation set; NaN: none                          */
    double seconds;                    /* of training; NaN: unknown                                 */
    const char *network, *options;     /* network text; options as JSON                             */
    const char *data, *format, *label; /* where the data came from, and how they were read          */
} dlda_run_info;

/* Reads it from the folder of a run, of which any file may be missing or damaged, or from one intact checkpoint. */
DLDA_API dlda_status dlda_run_info_read(const char *path, dlda_run_info **info);
DLDA_API void dlda_run_info_destroy(dlda_run_info *info);
/* Sets the options of that run and where its data came from (data is "" if unknown), except options set explicitly. On
 * failure, what could be read is set. */
DLDA_API dlda_status dlda_options_use_run(dlda_options *options, const char *path);

/* ---- Models ------------------------------------------------------------------------------------------------- */

/* A trained network with its LDA, kept as one safetensors file (docs/model_format.md), which is checked as a whole when it
 * is read. Saving writes a temporary file and renames it, so that the path never has half a file. */
DLDA_API dlda_status dlda_model_load(const char *path, dlda_model **model);
DLDA_API dlda_status dlda_model_save(const dlda_model *model, const char *path);
/* The same bytes in memory; *bytes is released with dlda_bytes_destroy. */
DLDA_API dlda_status dlda_model_to_bytes(const dlda_model *model, void **bytes, size_t *size);
DLDA_API dlda_status dlda_model_from_bytes(const void *bytes, size_t size, dlda_model **model);
DLDA_API void dlda_bytes_destroy(void *bytes);
DLDA_API dlda_status dlda_model_copy(const dlda_model *model, dlda_model **copy);
DLDA_API void dlda_model_destroy(dlda_model *model);

DLDA_API size_t dlda_model_height(const dlda_model *model); /* of its images */
DLDA_API size_t dlda_model_width(const dlda_model *model);
DLDA_API size_t dlda_model_channels(const dlda_model *model);
DLDA_API size_t dlda_model_image_size(const dlda_model *model); /* height x width x channels  */
DLDA_API size_t dlda_model_features(const dlda_model *model);   /* of the network's output    */
DLDA_API size_t dlda_model_classes(const dlda_model *model);
DLDA_API size_t dlda_model_parameters(const dlda_model *model); /* trainable weights          */
DLDA_API const char *dlda_model_class_name(const dlda_model *model, size_t label);
DLDA_API const char *dlda_model_network_text(const dlda_model *model);
DLDA_API const char *dlda_model_options_json(const dlda_model *model);   /* of its training            */
DLDA_API const char *dlda_model_preparation(const dlda_model *model);    /* "scale", "scale,gcn,zca"   */
DLDA_API const struct dlda_lda *dlda_model_lda(const dlda_model *model); /* deeplda_lda.h              */
/* Sets the options of its training, except those set explicitly. */
DLDA_API dlda_status dlda_options_use_model(dlda_options *options, const dlda_model *model);
/* For data of this model: its channels, its class names and, if `spec` has no size, its size of images: pictures are
 * resized if it was trained with option resize, otherwise they must have that size. The model must outlive the
 * reading. */
DLDA_API void dlda_read_spec_use_model(dlda_read_spec *spec, const dlda_model *model);

/* The memory to run a model on up to `batch` images at once with `threads` threads (0: one per core). */
typedef struct dlda_workspace dlda_workspace;
DLDA_API dlda_status dlda_workspace_create(const dlda_model *model, size_t batch, size_t threads,
                                           dlda_workspace **workspace);
DLDA_API void dlda_workspace_destroy(dlda_workspace *workspace);

/* Reads the PNG or JPEG picture spec->path as image [height][width][channels] of the model, with its channels. It is
 * resized if the model was trained with option resize or `spec` has that height and width; otherwise it must have the
 * model's size. */
DLDA_API dlda_status dlda_model_read_picture(const dlda_model *model, const dlda_read_spec *spec, float *image);
/* The same from the bytes of a file; spec->path is their name in messages. */
DLDA_API dlda_status dlda_model_decode_picture(const dlda_model *model, const dlda_read_spec *spec,
                                               const void *bytes, size_t size, float *image);
/* The same for n files, by the workspace's threads. Where a picture cannot be used, good [n] is 0, its image is zero and
 * spec->problem is called, by this thread and in the order of the paths; or spec->unfit, if it is set and applies, so that
 * many such pictures can be summed up. */
DLDA_API dlda_status dlda_model_read_pictures(const dlda_model *model, dlda_workspace *workspace,
                                              const dlda_read_spec *spec, const char *const *paths, size_t n,
                                              float *images, unsigned char *good);

typedef enum dlda_probability {
    DLDA_PROBABILITY_PAPER,  /* logistic function of each score, normalised (the paper, 3.4)                */
    DLDA_PROBABILITY_BAYES,  /* posterior of Gaussian classes with a common covariance and the LDA's priors, at the
                                temperature of the model's calibration: what the program uses               */
    DLDA_PROBABILITY_SOFTMAX /* of a network trained with objective cce or lda-cce, not of its LDA          */
} dlda_probability;

/* Classes of n images as dlda_dataset_images gives them; any n. labels [n] and proba [n][classes] may be NULL. The label
 * has the largest score, also where probabilities are equal by rounding. */
DLDA_API dlda_status dlda_model_predict(const dlda_model *model, dlda_workspace *workspace, const float *images,
                                        size_t n, dlda_probability kind, int *labels, float *proba);
/* Features H [n][features]. */
DLDA_API dlda_status dlda_model_embed(const dlda_model *model, dlda_workspace *workspace, const float *images,
                                      size_t n, float *H);

/* What is wanted of some images or rows; NULL for what is not. */
typedef struct dlda_answers {
    int *labels;        /* [n]                                                                      */
    float *proba;       /* [n][classes]                                                             */
    double *scores;     /* [n][classes]  -infinity for a class that is never predicted              */
    double *distances;  /* [n]           as dlda_lda_distances                                      */
    float *features;    /* [n][features] the network's output                                       */
    float *projections; /* [n][K]        features on the directions of the LDA                      */
    double *p_values;   /* [n]           share of good images that are at least as unusual: by the model's
                                         calibration, else by the chi-square distribution of the distance */
} dlda_answers;

/* All of it from one pass through the network. Takes no memory and no lock. */
DLDA_API dlda_status dlda_model_answer(const dlda_model *model, dlda_workspace *workspace, const float *images,
                                       size_t n, dlda_probability kind, const dlda_answers *answers);
/* DLDA_OK if the model has a softmax: it was trained with objective cce or lda-cce, and its classes are those of the
 * training. Otherwise DLDA_E_OPTION with the reason. */
DLDA_API dlda_status dlda_model_require_softmax(const dlda_model *model);

/* Writes the projections [count][K] of a data set, or its features [count][features] if `raw`, as .npy (f4). Labels go
 * into NAME_labels.npy (i4) beside NAME.npy; without labels, an existing file of that name is removed. A path that ends
 * in .csv gets a header and, if there are labels, the names of the classes in a last column; any other is
 * DLDA_E_ARGUMENT. */
DLDA_API dlda_status dlda_model_write_features(const dlda_model *model, dlda_workspace *workspace,
                                               const dlda_dataset *dataset, int raw, const char *path);
/* Writes an ONNX file (opset 13): preparation, network and LDA, for images [N][channels][height][width] divided by 255;
 * outputs "probabilities" [N][classes], "label" [N], "projection" [N][K] (docs/onnx.md). */
DLDA_API dlda_status dlda_model_export_onnx(const dlda_model *model, dlda_probability kind, const char *path);

/* The following make a new model with a copy of the network. The workspace is that of the old one. */

/* Fits the LDA on a labelled set, whose classes become those of the model. If it has the same class names, or as many
 * numbers instead, the model's order and names stay. */
DLDA_API dlda_status dlda_model_refit(const dlda_model *model, dlda_workspace *workspace, const dlda_dataset *data,
                                      double lambda, dlda_model **refitted);
/* Adds a class from two or more samples, without the data of the other classes. Needs the scatter matrices, which model
 * files of early versions lack (DLDA_E_ARGUMENT). A class with few samples counts as many rows as the average class. */
DLDA_API dlda_status dlda_model_add_class(const dlda_model *model, dlda_workspace *workspace,
                                          const dlda_dataset *images, const char *name, double lambda,
                                          dlda_model **extended);
/* Calibrates probabilities and p_values on a labelled set that neither the network nor the head was fitted on. A training
 * with validation samples has done this. _refit (with the same classes) and _add_class keep the calibration of the model. */
DLDA_API dlda_status dlda_model_calibrate(const dlda_model *model, dlda_workspace *workspace,
                                          const dlda_dataset *held_out, dlda_model **calibrated);
/* Number of samples of the calibration; 0: not calibrated. Whether the head was changed after it. The temperature that
 * divides the scores for this kind of probability; 1 if not calibrated. */
DLDA_API size_t dlda_model_calibration_samples(const dlda_model *model);
DLDA_API int dlda_model_calibration_is_kept(const dlda_model *model);
DLDA_API double dlda_model_temperature(const dlda_model *model, dlda_probability kind);
/* Other class priors for DLDA_PROBABILITY_BAYES: priors [classes] above 0 with any sum; NULL: shares of the fitted data. */
DLDA_API dlda_status dlda_model_use_priors(const dlda_model *model, const double *priors, dlda_model **adapted);

/* ---- Evaluation --------------------------------------------------------------------------------------------- */

typedef struct dlda_evaluation {
    size_t samples, correct;
    double accuracy; /* correct / samples                                                    */
    double log_loss; /* mean of -log(probability of the true class)                          */
    size_t classes;
    const size_t *confusion;      /* [classes][classes]: true class, predicted class                      */
    const size_t *class_samples;  /* [classes]                                                            */
    const double *recall;         /* [classes]: NaN if the class has no samples                           */
    const double *precision;      /* [classes]: NaN if the class was never predicted                      */
    const int *predicted;         /* [samples], in the order of the data set                              */
    const float *confidence;      /* [samples]: probability of the predicted class; NaN if there is none  */
    const float *p_truth;         /* [samples]: probability of the true class; NaN if there is none       */
    double calibration_error;     /* expected: mean over the samples of |accuracy - mean confidence| in bins */
    size_t bins;                  /* of equal width in confidence: 15; 0 without probabilities            */
    const size_t *bin_samples;    /* [bins]                                                               */
    const double *bin_accuracy;   /* [bins]: NaN if it is empty                                           */
    const double *bin_confidence; /* [bins]: mean; NaN if it is empty                                     */
} dlda_evaluation;

DLDA_API dlda_status dlda_model_evaluate(const dlda_model *model, dlda_workspace *workspace,
                                         const dlda_dataset *dataset, dlda_probability kind,
                                         dlda_evaluation **evaluation);
/* Evaluates the answers of any classifier: truth and predicted [n] in 0 .. classes-1, proba [n][classes] or NULL. */
DLDA_API dlda_status dlda_evaluation_create(const int *truth, const int *predicted, const float *proba, size_t n,
                                            size_t classes, dlda_evaluation **evaluation);
DLDA_API void dlda_evaluation_destroy(dlda_evaluation *evaluation);

/* ---- Networks ----------------------------------------------------------------------------------------------- */

/* A network as text (docs/network_format.md). `name` is mnist, cifar10, stl10, cnn or mlp, a file, or the text itself if it
 * has a newline: "dense 64\nrelu\ndense 10\n". Option net takes the same. */
DLDA_API dlda_status dlda_network_text_read(const char *name, char **text);
DLDA_API void dlda_text_destroy(char *text);

/* A table of layers, shapes and weights for images of that size (0, 0, 0: that of the `input` line). `where` names the text
 * in errors. */
DLDA_API dlda_status dlda_network_text_describe(const char *text, const char *where, size_t height, size_t width,
                                                size_t channels, char **description);

typedef struct dlda_memory_spec {
    const char *text, *where;       /* network text, and its name in errors                   */
    size_t height, width, channels; /* of the images; 0, 0, 0: those of the `input` line      */
    size_t batch;                   /* images at once                                         */
    size_t norm_group, micro_batch; /* as the options                                         */
    size_t threads;                 /* 0: one per core                                        */
} dlda_memory_spec;

/* Predicts the bytes that the library holds: in training (values and gradients of all layers, weights with gradient and
 * momentum, the best model, the batches) and in inference (weights and a workspace). */
DLDA_API dlda_status dlda_network_text_memory(const dlda_memory_spec *spec, size_t *training, size_t *inference);

#ifdef __cplusplus
}
#endif
#endif
