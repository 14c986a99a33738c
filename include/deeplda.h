/* SPDX-License-Identifier: MIT
 *
 * deeplda.h - train and apply Deep Linear Discriminant Analysis networks.
 *
 * DeepLDA (Dorfer, Kelz, Widmer, ICLR 2016) trains a network by stochastic gradient descent so that,
 * on each mini-batch, the smallest eigenvalues of the LDA problem Sb e = v (Sw + lambda I) e grow. The
 * features become linearly separable, and an LDA in closed form classifies them. docs/method.md has
 * the mathematics, docs/options.md all options.
 *
 * The shortest useful program (examples/train.c is the same with its errors checked):
 *
 *     dlda_options *options = NULL;   dlda_options_create(&options);
 *     dlda_dataset *train = NULL;     dlda_dataset_read("digits", DLDA_PART_TRAIN, &train);
 *     dlda_trainer *trainer = NULL;   dlda_trainer_create(options, train, NULL, &trainer);
 *     dlda_trainer_run(trainer);
 *     dlda_model_save(dlda_trainer_model(trainer), "digits.safetensors");
 *
 * Rules for the whole library:
 * - Ownership: what a _create, _read, _load, _fit or _split gives you, you release with _destroy, which
 *   accepts NULL. Strings and arrays behind `const` pointers belong to the object they came from.
 * - Errors:    functions that can fail return dlda_status; results come through the last arguments and
 *   are written only on DLDA_OK. dlda_last_error() explains the latest failure of this thread.
 * - Threads:   a dlda_model, dlda_dataset or dlda_lda is const once made and may be used by many threads
 *   at once; for predictions each thread has a dlda_workspace of its own. Other objects belong to one
 *   thread at a time.
 * - Manners:   the library never exits, prints, or touches signals. It brings its own threads: while a call uses
 *   OpenBLAS, that has one thread in the whole process, and afterwards as many as before.
 * - Results:   the same seed gives the same bits, whatever the number of threads, on one kind of processor and with
 *   the same libraries. Numbers in texts and files have a decimal point in every locale.
 * - Arrays:    row-major, shapes are written as [rows][columns]; images are [height][width][channels].
 * - NULL:      an argument that may be NULL says so; an array of 0 elements may always be. Any other NULL makes a function
 *   that returns a status fail with DLDA_E_ARGUMENT and name the argument; one that returns something else gives 0, NULL
 *   (NaN for a fraction or distance, -1 for a label) or, without a result, does nothing.
 * - Structs:   zero the structs that you fill in (`dlda_x_spec spec = { ... }` does). Fields may be added at their end,
 *   where 0 means what was before; programs are then compiled again, since the library's soname changes. Structs that the
 *   library makes may grow as well.
 */
#ifndef DEEPLDA_H
#define DEEPLDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLDA_API __attribute__((visibility("default")))

/* The version of this header, as text and as 10000 major + 100 minor + patch; dlda_version() gives the library's. */
#define DLDA_VERSION        "0.1.0"
#define DLDA_VERSION_NUMBER 100
DLDA_API const char *dlda_version(void);

/* ---- Errors ------------------------------------------------------------------------------------ */

typedef enum dlda_status {
    DLDA_OK = 0,
    DLDA_E_ARGUMENT, /* a value given by the caller makes no sense                           */
    DLDA_E_OPTION,   /* an option that does not exist, or a value outside its range          */
    DLDA_E_MEMORY,   /* the system has no memory left, or a size does not fit                */
    DLDA_E_IO,       /* a file cannot be opened, read or written                             */
    DLDA_E_EXISTS,   /* something is already there and was not to be overwritten             */
    DLDA_E_FORMAT,   /* a file does not hold what its format demands                         */
    DLDA_E_SHAPE,    /* two things that must fit do not: images and network, rows and labels */
    DLDA_E_CLASS,    /* fewer than two classes with at least two samples                     */
    DLDA_E_NUMERIC,  /* values that are not finite, a matrix that is not positive definite   */
    DLDA_E_STOPPED   /* the stop function of a dlda_watch said so                            */
} dlda_status;

/* A few words for a status, e.g. "wrong format". */
DLDA_API const char *dlda_status_text(dlda_status status);

/* One sentence on the latest failure in this thread: what, where, value found, value expected. It is
 * "" before the first failure and stays valid until this thread's next failure. */
DLDA_API const char *dlda_last_error(void);

/* ---- Options ----------------------------------------------------------------------------------- */

/* What decides a training or a model, how a training runs, and what its data are: by name, as text, with the same names and
 * values as on the command line. docs/options.md lists them with their defaults, which are the paper's where it names one. */
typedef struct dlda_options dlda_options;

DLDA_API dlda_status dlda_options_create(dlda_options **options);
/* Copies the values and which of them were set explicitly. */
DLDA_API dlda_status dlda_options_copy(const dlda_options *options, dlda_options **copy);
DLDA_API void dlda_options_destroy(dlda_options *options);

/* Sets option `name` ("rate", "batch", "objective", ...) from text. A flag takes "true" or "false". Presets and files do not
 * override what was set. An unknown name, an unknown choice or a value out of range is DLDA_E_OPTION, with a suggestion.
 * Messages of the library name an option as "option NAME". */
DLDA_API dlda_status dlda_options_set(dlda_options *options, const char *name, const char *value);

/* The value of an option as text, valid until the option is set again; NULL if there is no such option. */
DLDA_API const char *dlda_options_get(const dlda_options *options, const char *name);

/* 1 if it was set explicitly, 0 if it has its default or what a preset or a file says. */
DLDA_API int dlda_options_is_given(const dlda_options *options, const char *name);

typedef enum dlda_option_type {
    DLDA_OPTION_WHOLE,  /* a whole number, least to most         */
    DLDA_OPTION_REAL,   /* a number, least to most               */
    DLDA_OPTION_TEXT,   /* any text of up to 4095 bytes          */
    DLDA_OPTION_CHOICE, /* one of the choices                    */
    DLDA_OPTION_FLAG,   /* "true" or "false"                     */
    DLDA_OPTION_SIZE    /* "32x48", "32" for 32x32, "" for none  */
} dlda_option_type;

/* The table of all options, from which programs build their parsers and help texts. */
typedef struct dlda_option_info {
    const char *name;     /* "rate"                                                               */
    const char *argument; /* what stands for the value in a help text; NULL for a flag            */
    const char *initial;  /* default value as text                                                */
    const char *choices;  /* "lda|cce", NULL if it is not a choice                                */
    double least, most;   /* range of a number                                                    */
    const char *help;     /* one or two sentences                                                 */
    dlda_option_type type;
    int decides_result; /* 1: the model depends on it; model files and options.json have it, and set no others */
} dlda_option_info;

/* Entry i of the table, from 0; NULL behind the last one. */
DLDA_API const dlda_option_info *dlda_option_at(size_t i);

/* Sets what suits a known data set (digits, mnist, cifar10, stl10), as in the paper where it says, but for options that
 * were set before. Other names change nothing. */
DLDA_API dlda_status dlda_options_preset(dlda_options *options, const char *data);

/* Entry i of the table of those, from 0; 0 behind the last one. */
typedef struct dlda_preset {
    const char *data, *objective; /* objective: "lda" for all of that kind, "cce", or "" for both */
    const char *option, *value;
} dlda_preset;
DLDA_API int dlda_preset_at(size_t i, dlda_preset *preset);

/* ---- Data -------------------------------------------------------------------------------------- */

/* A set of equally large images (or plain vectors: height 1, width 1) with a class label each. */
typedef struct dlda_dataset dlda_dataset;

typedef enum dlda_part { DLDA_PART_TRAIN, DLDA_PART_TEST } dlda_part;

/* What to read, and how. Only `path` must be given; all else may be 0. */
typedef struct dlda_read_spec {
    const char *path;         /* "digits", or a file or folder in a format that is known             */
    dlda_part part;           /* of a set that has parts; a set in one file has a training part only */
    const char *format;       /* NULL: recognised from the content                                   */
    size_t height, width;     /* 0, 0: as they are; else images are brought to this size             */
    size_t channels;          /* 0: as they are; 1 or 3                                              */
    const char *label;        /* tables: the column of the labels, by name or number from 1;
                                 CIFAR-100: "fine" or "coarse"                                       */
    const char *const *names; /* [classes]: labels are places in this list; NULL: as the data have them */
    size_t classes;           /* length of that list                                                 */
    size_t threads;           /* that decode pictures; 0: one per core                               */
    int skip_bad;             /* leave out what cannot be read                                       */
    void *user;               /* passed on to:                                                       */
    void (*problem)(void *user, const char *message); /* is told what was left out, and why          */
} dlda_read_spec;

/* What the options say of it: format, label, height, width, threads. Texts belong to the options. */
DLDA_API void dlda_read_spec_use_options(dlda_read_spec *spec, const dlda_options *options);
/* More data for what was trained on `dataset`: the same channels, and labels by the same class names. Both must outlive
 * the reading. */
DLDA_API void dlda_read_spec_use_dataset(dlda_read_spec *spec, const dlda_dataset *dataset);

/* Reads one part of a data set (docs/data_formats.md):
 * - "digits": 5,000 training and 1,000 test digits that are part of the library;
 * - "mnist", "cifar10", "stl10": the folder of that name in the data folder (dlda_data_folder); a file or folder of that
 *   name takes precedence;
 * - a folder with IDX files under their usual names (train-images-idx3-ubyte, t10k-labels-idx1-ubyte, ..., each also
 *   as .gz), or one IDX image file, whose labels are looked for beside it: the same name with "labels" for "images"
 *   and idx1 for idx3;
 * - a folder with the binary version of CIFAR-10, CIFAR-100 or STL-10, or one file of it;
 * - a folder with a sub-folder of PNG or JPEG pictures for each class, which may lie in train/ and test/;
 * - an .npy file, whose labels are looked for beside it (X.npy and y.npy, images.npy and labels.npy), a folder of such
 *   pairs, an .npz file, or a CSV table with a column of labels. */
DLDA_API dlda_status dlda_dataset_open(const dlda_read_spec *spec, dlda_dataset **dataset);
/* The same, with nothing but a path and a part. */
DLDA_API dlda_status dlda_dataset_read(const char *path, dlda_part part, dlda_dataset **dataset);
/* 1 if there is something of that part, complete or not. */
DLDA_API int dlda_dataset_has_part(const dlda_read_spec *spec);
/* 1 if there are labels; a picture or an array may have none, and is then for dlda_dataset_open_images. */
DLDA_API int dlda_dataset_has_labels(const dlda_read_spec *spec);
/* The format that it is read in, a word of the option format: "idx", "npy", "picture", "folder" (of pictures), ... */
DLDA_API dlda_status dlda_dataset_format(const dlda_read_spec *spec, const char **format);

/* Reads images that need no labels: a PNG or JPEG picture, a folder of such, an IDX image file, an .npy file, unlabeled_X.bin of
 * STL-10; also what dlda_dataset_open reads. Grey and coloured images are converted into each other where `channels`
 * demands it. */
DLDA_API dlda_status dlda_dataset_open_images(const dlda_read_spec *spec, dlda_dataset **dataset);
/* The same, with nothing but a path and the number of channels. */
DLDA_API dlda_status dlda_dataset_read_images(const char *path, size_t channels, dlda_dataset **dataset);

/* The data folder: $DEEPLDA_DATA, else $XDG_CACHE_HOME/deeplda, else ~/.cache/deeplda. Release it with
 * dlda_text_destroy. */
DLDA_API dlda_status dlda_data_folder(char **folder);

typedef struct dlda_dataset_spec {
    size_t count, height, width, channels;
    size_t classes;           /* labels are 0 .. classes-1                                      */
    const int *labels;        /* [count], NULL if unknown                                       */
    const uint8_t *bytes;     /* [count][height][width][channels], scaled by 1/255; or else:    */
    const float *values;      /* the same shape, used as they are; must be finite               */
    const char *const *names; /* [classes], NULL for "0", "1", ...                              */
    int borrow;               /* 0: bytes or values are copied. 1: they are not; they must outlive, unchanged, the
                                 data set and every set made from it, and may have any alignment. Labels and names are
                                 always copied. */
} dlda_dataset_spec;

/* Makes a data set from arrays. */
DLDA_API dlda_status dlda_dataset_create(const dlda_dataset_spec *spec, dlda_dataset **dataset);

/* Splits a set in two, class by class in equal shares, at random by `seed`. `second` gets `count` samples.
 * The images are shared, not copied; the three sets may be destroyed in any order. */
DLDA_API dlda_status dlda_dataset_split(const dlda_dataset *dataset, size_t count, uint64_t seed,
                                        dlda_dataset **first, dlda_dataset **second);

/* Divides training data as the options subset, folds, fold, validation, split-seed and seed say. *validation stays NULL if
 * nothing is held out. A trainer records what was done: these options of a set that was divided here; of any other, only
 * how many validation samples it was given. */
DLDA_API dlda_status dlda_dataset_divide(const dlda_dataset *all, const dlda_options *options, dlda_dataset **train,
                                         dlda_dataset **validation);
/* `count` of the samples, class by class in equal shares, at random by `seed`. */
DLDA_API dlda_status dlda_dataset_subset(const dlda_dataset *dataset, size_t count, uint64_t seed,
                                         dlda_dataset **subset);

/* Cross validation: divides a set into `folds` parts of equal size, class by class in equal shares, at random by `seed`.
 * Part `fold`, from 1, becomes `held_out`, all others together `train`. */
DLDA_API dlda_status dlda_dataset_folds(const dlda_dataset *dataset, size_t folds, size_t fold, uint64_t seed,
                                        dlda_dataset **train, dlda_dataset **held_out);

/* Some sets (STL-10) bring lists of samples to train on, also called folds: how many there are, mostly 0, and
 * fold number `fold`, from 1. */
DLDA_API size_t dlda_dataset_own_folds(const dlda_dataset *dataset);
DLDA_API dlda_status dlda_dataset_fold(const dlda_dataset *dataset, size_t fold, dlda_dataset **train);

DLDA_API size_t dlda_dataset_count(const dlda_dataset *dataset);
DLDA_API size_t dlda_dataset_height(const dlda_dataset *dataset);
DLDA_API size_t dlda_dataset_width(const dlda_dataset *dataset);
DLDA_API size_t dlda_dataset_channels(const dlda_dataset *dataset);
DLDA_API size_t dlda_dataset_classes(const dlda_dataset *dataset);
DLDA_API const char *dlda_dataset_class_name(const dlda_dataset *dataset, size_t label);

/* The label of sample i, -1 if it has none; all of them [count], NULL if there are none. */
DLDA_API int dlda_dataset_label(const dlda_dataset *dataset, size_t i);
DLDA_API const int *dlda_dataset_labels(const dlda_dataset *dataset);

/* The file that sample i came from, below the folder that was read; NULL if a file holds many samples. */
DLDA_API const char *dlda_dataset_sample_file(const dlda_dataset *dataset, size_t i);

/* Samples first .. first+n-1 as floats, ready for a network: `images` has room for
 * [n][height][width][channels]. */
DLDA_API dlda_status dlda_dataset_images(const dlda_dataset *dataset, size_t first, size_t n, float *images);

DLDA_API void dlda_dataset_destroy(dlda_dataset *dataset);

typedef enum dlda_data_format {
    DLDA_FORMAT_IDX, /* train-images-idx3-ubyte and its like: bytes, up to 256 classes, which lose their names    */
    DLDA_FORMAT_NPY, /* X_train.npy, y_train.npy, X_test.npy, y_test.npy: bytes or floats, whole numbers as labels */
    DLDA_FORMAT_PNG /* train/CLASS/000001.png, test/CLASS/...: bytes, 1 or 3 channels                             */
} dlda_data_format;

/* Writes a labelled set as one part into a folder, which is made if it is not there. Each file appears as a whole and
 * replaces one of its name; with DLDA_FORMAT_PNG the part's folder does, and is refused if there is one (DLDA_E_EXISTS). */
DLDA_API dlda_status dlda_dataset_write(const dlda_dataset *dataset, dlda_part part, dlda_data_format format,
                                        const char *folder);

/* ---- Classic LDA, on any table of features ------------------------------------------------------- */

/* Counts, means and centred second moments of each class: all that LDA needs to know of the data.
 * Rows may come in any number of portions, and scatters of different rows can be merged. */
typedef struct dlda_scatter dlda_scatter;

DLDA_API dlda_status dlda_scatter_create(size_t classes, size_t features, dlda_scatter **scatter);
/* The same with the classic within-class scatter, in which each row counts the same; in the paper's, which the function
 * above makes, each class does. It keeps one sum of moments for all classes: less memory, and faster. */
DLDA_API dlda_status dlda_scatter_create_pooled(size_t classes, size_t features, dlda_scatter **scatter);
/* Adds rows H [n][features] with labels [n] in 0 .. classes-1. */
DLDA_API dlda_status dlda_scatter_add(dlda_scatter *scatter, const float *H, const int *labels, size_t n);
DLDA_API dlda_status dlda_scatter_add_double(dlda_scatter *scatter, const double *H, const int *labels, size_t n);
/* Adds what `other` has seen; both need the same number of classes and features, and the same kind. */
DLDA_API dlda_status dlda_scatter_merge(dlda_scatter *scatter, const dlda_scatter *other);
/* All that a scatter has seen as one array of `size` doubles, for files and other processes: rows of each class
 * [classes], their means [classes][features], their moments [classes][features][features] (pooled: [features][features],
 * of which the upper triangle counts). To merge it is to merge the scatter it came from; to merge it into an empty scatter
 * of the same kind is to copy that. Fails, and changes nothing, unless all values are finite and counts are whole. */
DLDA_API size_t dlda_scatter_sums_size(const dlda_scatter *scatter);
DLDA_API void dlda_scatter_export_sums(const dlda_scatter *scatter, double *sums);
DLDA_API dlda_status dlda_scatter_merge_sums(dlda_scatter *scatter, const double *sums, size_t size);
DLDA_API void dlda_scatter_destroy(dlda_scatter *scatter);

/* A fitted LDA: K = min(usable classes - 1, features) directions, and a classifier on them. Classes with
 * fewer than two rows are not usable: they are never predicted. */
typedef struct dlda_lda dlda_lda;

typedef enum dlda_probability {
    DLDA_PROBABILITY_PAPER, /* each class's score through a logistic function, then normalised (the paper, 3.4) */
    DLDA_PROBABILITY_BAYES, /* posterior of Gaussian classes with a common covariance, and the LDA's priors         */
    DLDA_PROBABILITY_SOFTMAX /* not of an LDA, but of a network trained with cce: see dlda_model_require_softmax   */
} dlda_probability;

/* What is wanted of some rows or images; NULL for what is not. */
typedef struct dlda_answers {
    int *labels;        /* [n]           the class with the largest score                            */
    float *proba;       /* [n][classes]                                                              */
    double *scores;     /* [n][classes]  before they become probabilities; -infinity: never predicted */
    double *distances;  /* [n]           as dlda_lda_distances has them                              */
    float *features;    /* [n][features] the network's output                                        */
    float *projections; /* [n][K]        the features on the directions of the LDA                   */
} dlda_answers;

/* Solves Sb e = v (Sw + lambda I) e on what the scatter has seen. */
DLDA_API dlda_status dlda_lda_fit(const dlda_scatter *scatter, double lambda, dlda_lda **lda);
DLDA_API size_t dlda_lda_classes(const dlda_lda *lda);
DLDA_API size_t dlda_lda_features(const dlda_lda *lda);
/* What an LDA consists of: arrays that belong to it and live as long. A class that is not usable has prior 0, intercept
 * -infinity, its one row as mean (0 if it has none), and coefficients like any other. */
typedef struct dlda_lda_view {
    size_t classes, features, n_directions;
    double lambda;        /* NaN if not known: of an LDA that was read from a model                    */
    const double *counts; /* [classes]                 rows of each class                              */
    const double
        *priors;         /* [classes]                 shares that DLDA_PROBABILITY_BAYES assumes; their sum is 1  */
    const double *means; /* [classes][features]                                                       */
    const double *mean;  /* [features]                of all rows                                     */
    const double *directions;   /* [n_directions][features]  e with e'(Sw + lambda I)e = 1                   */
    const double *eigenvalues;  /* [n_directions]            largest first                                   */
    const double *coefficients; /* [classes][features]       x . coefficients[c] + intercepts[c] is the score of */
    const double
        *intercepts; /* [classes]                 class c with DLDA_PROBABILITY_BAYES; probabilities: softmax */
    const double *within; /* [features][features]      Sw, the covariance within classes, without lambda */
    const double *total;  /* [features][features]      St; both are NULL if an early model file lacks them */
} dlda_lda_view;
DLDA_API const dlda_lda_view *dlda_lda_view_of(const dlda_lda *lda);
/* The names of its classes; NULL if they have none. Those of a table are taken from the table. */
DLDA_API const char *dlda_lda_class_name(const dlda_lda *lda, size_t label);
DLDA_API dlda_status dlda_lda_name_classes(dlda_lda *lda, const char *const *names); /* [classes], different */
/* The share of a class that DLDA_PROBABILITY_BAYES assumes; 0 if it is not usable. */
DLDA_API double dlda_lda_prior(const dlda_lda *lda, size_t c);
/* The eigenvalues, largest first: how well each direction separates the classes. */
DLDA_API const double *dlda_lda_eigenvalues(const dlda_lda *lda, size_t *count);
/* Their mean. */
DLDA_API double dlda_lda_mean_separation(const dlda_lda *lda);
/* The two usable classes that are hardest to tell apart: the Mahalanobis distance of their means under the common
 * covariance Sw + lambda I, in the discriminant space, is the smallest of all pairs. Returns that distance. */
DLDA_API double dlda_lda_nearest_classes(const dlda_lda *lda, size_t *first, size_t *second);
/* Projects X [n][features] on the K directions: Z [n][K]. */
DLDA_API dlda_status dlda_lda_transform(const dlda_lda *lda, const float *X, size_t n, float *Z);
/* Classifies X [n][features]. labels [n] and proba [n][classes] may be NULL. The label is the class with
 * the largest score before it becomes a probability, so it is exact where probabilities saturate. */
DLDA_API dlda_status dlda_lda_predict(const dlda_lda *lda, const float *X, size_t n, dlda_probability kind,
                                      int *labels, float *proba);
/* How far each row is from the class it is nearest to: the smallest squared Mahalanobis distance to a class mean, in the
 * space of the directions and under the covariance that the classes share. distances [n]. */
DLDA_API dlda_status dlda_lda_distances(const dlda_lda *lda, const float *X, size_t n, double *distances);
/* The distance that a share alpha of each class's own rows exceeds if classes are Gaussian: the upper limit of the
 * chi-square distribution with K degrees of freedom. What is farther belongs to no class. 0 < alpha < 1. */
DLDA_API dlda_status dlda_lda_distance_limit(const dlda_lda *lda, double alpha, double *limit);
/* An LDA as one safetensors file, or as its bytes; as dlda_model_save and its like, for an LDA without a network. */
DLDA_API dlda_status dlda_lda_save(const dlda_lda *lda, const char *path);
DLDA_API dlda_status dlda_lda_load(const char *path, dlda_lda **lda);
DLDA_API dlda_status dlda_lda_to_bytes(const dlda_lda *lda, void **bytes, size_t *size);
DLDA_API dlda_status dlda_lda_from_bytes(const void *bytes, size_t size, dlda_lda **lda);
DLDA_API void dlda_lda_destroy(dlda_lda *lda);

/* A table of labelled rows in a file: .npy, .npz or CSV (docs/data_formats.md). It is read in blocks each time it is
 * used, so it may be larger than memory. A table belongs to one thread at a time. */
typedef struct dlda_table dlda_table;

typedef struct dlda_table_spec {
    const char *path;
    const char *labels; /* of an .npy: the .npy file that has its labels; NULL: looked for beside it         */
    const char *label;  /* of CSV: the column of the labels, by name or number from 1; NULL: see the formats */
    size_t features; /* 0: there must be labels. Else there may be none: a CSV table with so many columns, of which
                           `label` is none, and an array that has no labels beside it, consist of features alone */
} dlda_table_spec;

DLDA_API dlda_status dlda_table_open(const dlda_table_spec *spec, dlda_table **table);
DLDA_API size_t dlda_table_rows(const dlda_table *table);
DLDA_API size_t dlda_table_features(const dlda_table *table);
DLDA_API size_t dlda_table_classes(const dlda_table *table); /* 0 if there are no labels */
DLDA_API const char *dlda_table_class_name(const dlda_table *table, size_t label);
/* The next rows, at most `most`: X [n][features], and labels [n], which may be NULL; -1 if there are none. n is 0 behind
 * the last row. dlda_table_rewind goes back to the first; functions that use the whole table leave it behind the last. */
DLDA_API dlda_status dlda_table_read(dlda_table *table, size_t most, float *X, int *labels, size_t *n);
DLDA_API dlda_status dlda_table_rewind(dlda_table *table);
DLDA_API void dlda_table_destroy(dlda_table *table);

typedef struct dlda_table_fit_spec {
    double lambda;  /* added to the diagonal of the pooled within-class scatter      */
    size_t folds;   /* of the cross-validation: 2 or more; 0: none                   */
    uint64_t seed;  /* which rows are in which fold                                  */
    size_t threads; /* 0: one per core; results do not depend on it                  */
} dlda_table_fit_spec;

/* The classic LDA of a table (pooled scatter, classes weighed by their share of the rows) and how good it is. */
typedef struct dlda_table_fit {
    const dlda_lda *lda; /* fitted on all rows                                               */
    size_t rows, classes;
    const size_t *class_rows; /* [classes]                                                   */
    size_t correct;           /* rows that this LDA classifies right, although it has seen them   */
    size_t folds;
    const size_t *fold_rows;    /* [folds]                                                        */
    const size_t *fold_correct; /* [folds]: rows that the LDA of all other folds classifies right */
    double fit_seconds;         /* reading the table once and fitting                             */
    double test_seconds;        /* reading it again and classifying                               */
} dlda_table_fit;

/* Reads the table twice: once for the sums of all folds, once to classify its rows. Each fold has its share of every
 * class. Memory: a block of rows and about folds + 9 per thread matrices of features x features doubles. */
DLDA_API dlda_status dlda_table_fit_lda(dlda_table *table, const dlda_table_fit_spec *spec, dlda_table_fit **fit);
DLDA_API void dlda_table_fit_destroy(dlda_table_fit *fit);

/* Writes the table's rows projected on the directions of an LDA as an .npy file of f4, [rows][K]. */
DLDA_API dlda_status dlda_table_transform(dlda_table *table, const dlda_lda *lda, size_t threads, const char *path);

/* ---- Training ------------------------------------------------------------------------------------ */

/* One epoch, as told to a dlda_watch and kept in the history. Accuracies are fractions, measured with an
 * LDA fitted on the features of the training set. They are NaN, without eigenvalues, for epochs that
 * option measure-every skips; validation is NaN where there is no validation set. */
typedef struct dlda_epoch {
    size_t epoch;               /* counted from 1                                               */
    double loss;                /* mean over the batches of what SGD minimises                  */
    double separation;          /* mean of what an lda objective maximises; NaN with cce        */
    double rate;                /* learning rate of this epoch                                  */
    double train_accuracy;      /* on the training set                                          */
    double validation_accuracy; /* on the validation set                                        */
    double images_per_second;   /* of the training steps                                        */
    double seconds;             /* of the whole epoch, with what was trained before an interruption */
    int best;                   /* 1 if this is the best epoch so far: its model is kept        */
    size_t n_eigenvalues;       /* those of the LDA on the training features, largest first     */
    const double *eigenvalues;
} dlda_epoch;

/* After each batch. */
typedef struct dlda_progress {
    size_t epoch, epochs;       /* epoch counts from 1                                          */
    size_t batch, batches;      /* batches done in this epoch, of how many                      */
    double value;               /* separation of this batch; cross entropy with cce             */
    double smallest, largest;   /* eigenvalue of this batch; NaN with cce                       */
    size_t selected;            /* eigenvalues that are maximised                               */
    double validation_accuracy; /* of the epoch before; NaN if there is none                  */
    double images_per_second;   /* mean of this epoch                                           */
    double seconds_left;        /* of the whole training, an estimate                           */
    double loader_seconds;      /* processor time of the loader's thread for this batch         */
} dlda_progress;

/* The phases of a training step, in their order. */
typedef enum dlda_phase {
    DLDA_PHASE_GATHER,    /* waiting for the batch, which the loader's thread makes during the step before */
    DLDA_PHASE_FORWARD,   /* the network's features of the batch                                           */
    DLDA_PHASE_OBJECTIVE, /* the loss and its gradient with respect to the features                        */
    DLDA_PHASE_BACKWARD,  /* the gradient of the weights                                                   */
    DLDA_PHASE_OPTIMISER  /* the change of the weights                                                     */
} dlda_phase;

/* Callbacks; each may be NULL. They are called from the thread that runs the trainer. */
typedef struct dlda_watch {
    void *user;                                               /* passed on to each of them         */
    void (*log)(void *user, const char *message);             /* a remark worth a line             */
    void (*batch)(void *user, const dlda_progress *progress); /* after each batch                  */
    void (*epoch)(void *user, const dlda_epoch *epoch);       /* after each epoch                  */
    int (*stop)(void *user);                                  /* asked after each batch: 1 to stop */
    void (*phase)(void *user, dlda_phase finished);           /* after each phase of a step        */
} dlda_watch;

typedef struct dlda_model dlda_model;
typedef struct dlda_trainer dlda_trainer;

/* Prepares everything: network, memory, batches. The data sets must outlive the trainer; `validation` may
 * be NULL. Options: net, objective, batch, epochs, rate, seed, threads, ... (docs/options.md, "train"). */
DLDA_API dlda_status dlda_trainer_create(const dlda_options *options, const dlda_dataset *train,
                                         const dlda_dataset *validation, dlda_trainer **trainer);
/* Copies *watch; NULL: nobody watches. */
DLDA_API void dlda_trainer_watch(dlda_trainer *trainer, const dlda_watch *watch);

/* Makes `folder` (DLDA_E_EXISTS if it is there, unless `force`) and keeps in it options.json,
 * history.csv, eigenvalues.csv, model.safetensors and run.json (state, data and machine of the run), up to date after
 * each epoch, and checkpoint.safetensors, also every few minutes. Files of an earlier run stay until the first epoch is complete. */
DLDA_API dlda_status dlda_trainer_record(dlda_trainer *trainer, const char *folder, int force);

/* Goes on where the training that kept its record in `folder` was when its last checkpoint was saved, bit for bit: call it
 * on a new trainer with the same options (but for `epochs` and what decides no result) and data, before it runs. If the
 * newest checkpoint is damaged, the one before it is taken, and the watch is told. */
DLDA_API dlda_status dlda_trainer_resume(dlda_trainer *trainer, const char *folder);
/* The options of that training, and where its data came from, for those that were not set before; `path` as in
 * dlda_run_info_read. The option data becomes "" if nothing says where they came from. On failure, what could be read is
 * set. */
DLDA_API dlda_status dlda_options_use_run(dlda_options *options, const char *path);

typedef enum dlda_run_state {
    DLDA_RUN_UNKNOWN, /* no epoch is complete yet, or only a checkpoint was read             */
    DLDA_RUN_RUNNING, /* also of a process on another machine that has not said how it ended */
    DLDA_RUN_COMPLETE,
    DLDA_RUN_STOPPED, /* by its user                                                         */
    DLDA_RUN_FAILED,
    DLDA_RUN_LOST /* its process is gone, and did not say how it ended                       */
} dlda_run_state;

/* What is known of a training; texts that are not are "". */
typedef struct dlda_run_info {
    dlda_run_state state;
    size_t process; /* that trained last; 0: unknown                                                */
    /* as of its newest whole checkpoint, 0 without one */
    size_t epochs_done;                /* complete epochs                                                       */
    size_t batches_done;               /* batches of the epoch under way                                        */
    size_t steps_done;                 /* batches in all                                                        */
    size_t best_epoch;                 /* 0: none yet                                                           */
    double best_accuracy;              /* of that epoch, on the validation set; NaN: none                       */
    double seconds;                    /* of training, with those of the epoch under way; NaN: unknown          */
    const char *network, *options;     /* network text; options as JSON                                         */
    const char *data, *format, *label; /* where the data came from, and how they were read                      */
} dlda_run_info;

/* Reads it from the folder that keeps the record of a training (run.json, options.json and checkpoints, each of which may
 * be missing or damaged, but not all), or from one checkpoint file, which must be whole. */
DLDA_API dlda_status dlda_run_info_read(const char *path, dlda_run_info **info);
DLDA_API void dlda_run_info_destroy(dlda_run_info *info);

/* Trains for the epochs of the options, or until its patience ends. DLDA_E_STOPPED if stopped by the watch: the history
 * and the best model are then those of the epochs that were completed, and a checkpoint has the state after the last
 * batch if there is a record. */
DLDA_API dlda_status dlda_trainer_run(dlda_trainer *trainer);

/* The same under the caller's control: one batch (the last of an epoch with all that ends an epoch), or what is left of an
 * epoch, until it is complete; then finish, which fits the LDA of the best model on all training data. To finish earlier
 * is allowed: the record, if there is one, can be resumed. dlda_trainer_run asks the watch whether to stop, and so does
 * dlda_trainer_run_epoch; a stopped one may go on. */
DLDA_API dlda_status dlda_trainer_run_step(dlda_trainer *trainer);
DLDA_API dlda_status dlda_trainer_run_epoch(dlda_trainer *trainer);
DLDA_API int dlda_trainer_is_complete(const dlda_trainer *trainer);
DLDA_API dlda_status dlda_trainer_finish(dlda_trainer *trainer);

/* The model of the best epoch on the validation set (of the last epoch, if there is none); NULL before
 * the first epoch is complete. It belongs to the trainer; dlda_model_copy makes one that outlives it. */
DLDA_API const dlda_model *dlda_trainer_model(const dlda_trainer *trainer);
DLDA_API const dlda_epoch *dlda_trainer_history(const dlda_trainer *trainer, size_t *count);
DLDA_API void dlda_trainer_destroy(dlda_trainer *trainer);

/* ---- Models -------------------------------------------------------------------------------------- */

/* A trained network with its LDA: images in, classes out. A model is one safetensors file
 * (docs/model_format.md). Loading checks all of it. */
DLDA_API dlda_status dlda_model_load(const char *path, dlda_model **model);
/* Writes to a temporary name, then renames: a failure leaves no half-written file and an older file whole. */
DLDA_API dlda_status dlda_model_save(const dlda_model *model, const char *path);
/* The same bytes in memory, for a database or a socket; *bytes is released with dlda_bytes_destroy. */
DLDA_API dlda_status dlda_model_to_bytes(const dlda_model *model, void **bytes, size_t *size);
DLDA_API dlda_status dlda_model_from_bytes(const void *bytes, size_t size, dlda_model **model);
DLDA_API void dlda_bytes_destroy(void *bytes);
/* A model of its own, say of one that belongs to a trainer. */
DLDA_API dlda_status dlda_model_copy(const dlda_model *model, dlda_model **copy);
DLDA_API void dlda_model_destroy(dlda_model *model);

DLDA_API size_t dlda_model_height(const dlda_model *model); /* of the images it takes */
DLDA_API size_t dlda_model_width(const dlda_model *model);
DLDA_API size_t dlda_model_channels(const dlda_model *model);
DLDA_API size_t dlda_model_image_size(const dlda_model *model); /* height x width x channels: floats of an image */
DLDA_API size_t dlda_model_features(const dlda_model *model);   /* width of the network's output */
DLDA_API size_t dlda_model_classes(const dlda_model *model);
DLDA_API size_t dlda_model_parameters(const dlda_model *model); /* trainable weights */
DLDA_API const char *dlda_model_class_name(const dlda_model *model, size_t label);
DLDA_API const char *dlda_model_network_text(const dlda_model *model);
DLDA_API const char *dlda_model_options_json(const dlda_model *model); /* that it was trained with */
/* How images are prepared, which predictions repeat by themselves: "scale", "scale,gcn,zca", ... */
DLDA_API const char *dlda_model_preparation(const dlda_model *model);
DLDA_API const dlda_lda *dlda_model_lda(const dlda_model *model);
/* DLDA_OK if DLDA_PROBABILITY_SOFTMAX can be asked for: the model was trained with objective cce, and its classes are still those of
 * that training. Otherwise DLDA_E_OPTION, and the message says why not. */
DLDA_API dlda_status dlda_model_require_softmax(const dlda_model *model);
/* The options that the model was trained with, for those that were not set before. */
DLDA_API dlda_status dlda_options_use_model(dlda_options *options, const dlda_model *model);

/* Data for this model: its channels, labels by its class names and, if it was trained with the option resize, its size
 * of images; a size that `spec` has already stays. The model must outlive the reading. */
DLDA_API void dlda_read_spec_use_model(dlda_read_spec *spec, const dlda_model *model);

/* The memory to run a model on up to `batch` images at once, with `threads` threads (0: one per core). */
typedef struct dlda_workspace dlda_workspace;
DLDA_API dlda_status dlda_workspace_create(const dlda_model *model, size_t batch, size_t threads,
                                           dlda_workspace **workspace);
DLDA_API void dlda_workspace_destroy(dlda_workspace *workspace);

/* Reads the PNG or JPEG picture spec->path as the model takes it: image [height][width][channels]. Colours become grey or
 * grey becomes colours. It is brought to the model's size if the model was trained with the option resize, or if spec has
 * that height and width; else it must have that size. Nothing else of the spec counts. */
DLDA_API dlda_status dlda_model_read_picture(const dlda_model *model, const dlda_read_spec *spec, float *image);
/* The same of a file's bytes in memory; spec->path is what messages call them. */
DLDA_API dlda_status dlda_model_decode_picture(const dlda_model *model, const dlda_read_spec *spec,
                                               const void *bytes, size_t size, float *image);
/* The same of many files, by the workspace's threads: images [n][height][width][channels]. A picture that cannot be used
 * does not stop the others: good [n] has 0 for it and 1 for the others, its image is all zero, and spec->problem is told,
 * by this thread and in the order of the paths. spec->path does not count. */
DLDA_API dlda_status dlda_model_read_pictures(const dlda_model *model, dlda_workspace *workspace,
                                              const dlda_read_spec *spec, const char *const *paths, size_t n,
                                              float *images, unsigned char *good);

/* Features H [n][features] of images [n][height][width][channels] as dlda_dataset_images gives them; the model
 * prepares them as it did in training. Any n: more than the workspace's batch is done in portions. */
DLDA_API dlda_status dlda_model_embed(const dlda_model *model, dlda_workspace *workspace, const float *images,
                                      size_t n, float *H);
/* Classes of images; labels [n] and proba [n][classes] may be NULL. By the LDA, or with DLDA_PROBABILITY_SOFTMAX by the softmax. */
DLDA_API dlda_status dlda_model_predict(const dlda_model *model, dlda_workspace *workspace, const float *images,
                                        size_t n, dlda_probability kind, int *labels, float *proba);

/* All of these, and more, from one pass through the network. Takes no memory and no lock. */
DLDA_API dlda_status dlda_model_answer(const dlda_model *model, dlda_workspace *workspace, const float *images,
                                       size_t n, dlda_probability kind, const dlda_answers *answers);

/* Writes what a model makes of a data set as an .npy file of f4: the projections [count][K], or the network's features
 * [count][features] if `raw`. The labels, if the data have any, go beside it as i4 [count], into NAME_labels.npy if the
 * path is NAME.npy; if they have none, an older file of that name is removed. Files appear whole or not at all, and
 * labels never stand beside features of other data. */
DLDA_API dlda_status dlda_model_write_features(const dlda_model *model, dlda_workspace *workspace,
                                               const dlda_dataset *dataset, int raw, const char *path);

/* ---- A new head for a trained network --------------------------------------------------------------- */

/* Each of these makes a new model, with a copy of the network. A workspace is of the old one. */

/* Fits the LDA anew, on the features of a labelled set, whose classes become those of the model. If they have the same
 * names, or numbers instead of names and there are as many, the model's order and names stay. */
DLDA_API dlda_status dlda_model_refit(const dlda_model *model, dlda_workspace *workspace, const dlda_dataset *data,
                                      double lambda, dlda_model **refitted);

/* Adds a class from two or more samples, in closed form, without the data of the other classes. Needs the scatter matrices
 * in the model, which files of early versions lack (DLDA_E_ARGUMENT; dlda_model_refit brings them). In the scatter the
 * class counts as many rows as the others on average, if it has fewer. */
DLDA_API dlda_status dlda_model_add_class(const dlda_model *model, dlda_workspace *workspace,
                                          const dlda_dataset *images, const char *name, double lambda,
                                          dlda_model **extended);

/* Other shares of the classes for DLDA_PROBABILITY_BAYES, priors [classes] above 0 with any sum; NULL: those of the fitted data. */
DLDA_API dlda_status dlda_model_use_priors(const dlda_model *model, const double *priors, dlda_model **adapted);

/* ---- ONNX ------------------------------------------------------------------------------------------ */

/* Writes a model as an ONNX file (opset 13) for other runtimes: preparation, network and LDA, for any number of images
 * [N][channels][height][width], bytes divided by 255. Outputs: "probabilities" [N][classes] and "label" [N] as
 * dlda_model_predict gives them, "projection" [N][directions]; docs/onnx.md. Written as carefully as a model. */
DLDA_API dlda_status dlda_model_export_onnx(const dlda_model *model, dlda_probability kind, const char *path);

/* ---- Evaluation ---------------------------------------------------------------------------------- */

typedef struct dlda_evaluation {
    size_t samples, correct;
    double accuracy; /* a fraction: correct / samples                               */
    double log_loss; /* mean of -log(probability of the true class)                 */
    size_t classes;
    const size_t *confusion;     /* [classes][classes]: true class, predicted class             */
    const size_t *class_samples; /* [classes]                                                   */
    const double *recall;        /* [classes]: share of a class's samples that were found; NaN if none */
    const double *precision;     /* [classes]: share of what was called c that is c; NaN if none */
    const int *predicted;        /* [samples]: the classes, in the order of the data set        */
    const float *confidence;     /* [samples]: the probability of each of these; NaN without probabilities */
    /* How far probabilities can be trusted. Samples fall into bins of equal width by the probability of their predicted
     * class; the expected calibration error is the mean over all samples of |accuracy - mean probability| of their bin. */
    double calibration_error;
    size_t bins;                  /* 15                                                    */
    const size_t *bin_samples;    /* [bins]                                                */
    const double *bin_accuracy;   /* [bins]: share of them that is right; NaN if none      */
    const double *bin_confidence; /* [bins]: their mean probability; NaN if none           */
} dlda_evaluation;

/* Classifies a labelled data set and counts. The labels are used for nothing but the counting. */
DLDA_API dlda_status dlda_model_evaluate(const dlda_model *model, dlda_workspace *workspace,
                                         const dlda_dataset *dataset, dlda_probability kind,
                                         dlda_evaluation **evaluation);
/* Counts answers that are there already, of any classifier: truth and predicted [n] in 0 .. classes-1, proba
 * [n][classes]. NULL for proba: log_loss and calibration_error are NaN, bins 0. */
DLDA_API dlda_status dlda_evaluation_create(const int *truth, const int *predicted, const float *proba, size_t n,
                                            size_t classes, dlda_evaluation **evaluation);
DLDA_API void dlda_evaluation_destroy(dlda_evaluation *evaluation);

/* ---- Linear support vector machines, to compare with ----------------------------------------------- */

/* One linear classifier per class against all others, with squared hinge loss (by liblinear). */
typedef struct dlda_svm dlda_svm;

typedef struct dlda_svm_spec {
    const double *costs; /* [n_costs] to choose from; NULL: 2^-8, 2^-6, ... 2^8                  */
    size_t n_costs;
    size_t folds;   /* of the cross-validation that chooses; 0: 5                             */
    uint64_t seed;  /* which rows are in which fold                                           */
    size_t threads; /* 0: one per core; results do not depend on it                           */
} dlda_svm_spec;

/* Fits rows Z [n][features] with labels [n] in 0 .. classes-1. The cost is the one with the best accuracy in a
 * cross-validation on these rows, class shares kept; of equal ones the smallest. */
DLDA_API dlda_status dlda_svm_fit(const float *Z, const int *labels, size_t n, size_t features, size_t classes,
                                  const dlda_svm_spec *spec, dlda_svm **svm);
DLDA_API dlda_status dlda_svm_predict(const dlda_svm *svm, const float *Z, size_t n, int *labels);
DLDA_API size_t dlda_svm_features(const dlda_svm *svm);
DLDA_API size_t dlda_svm_classes(const dlda_svm *svm);
DLDA_API double dlda_svm_cost(const dlda_svm *svm);
DLDA_API double dlda_svm_accuracy(const dlda_svm *svm); /* of that cross-validation, a fraction */
/* weights [classes][features] and intercepts [classes]: the class with the largest z . weights[c] + intercepts[c] is
 * predicted. A class without rows has weights 0 and intercept -infinity. */
DLDA_API const double *dlda_svm_weights(const dlda_svm *svm);
DLDA_API const double *dlda_svm_intercepts(const dlda_svm *svm);
DLDA_API void dlda_svm_destroy(dlda_svm *svm);

/* The same on the features of images, projected on the directions of the model's LDA. */
DLDA_API dlda_status dlda_model_fit_svm(const dlda_model *model, dlda_workspace *workspace,
                                        const dlda_dataset *train, const dlda_svm_spec *spec, dlda_svm **svm);
/* There are no probabilities: log_loss and calibration_error are NaN, bins 0. */
DLDA_API dlda_status dlda_model_evaluate_svm(const dlda_model *model, dlda_workspace *workspace,
                                             const dlda_svm *svm, const dlda_dataset *dataset,
                                             dlda_evaluation **evaluation);

/* ---- Networks ------------------------------------------------------------------------------------ */

/* A network as text (docs/network_format.md): `name` is mnist, cifar10, stl10 or mlp, or a file. What has a newline is
 * taken as such a text itself, here and in option net: "dense 64\nrelu\ndense 10\n". */
DLDA_API dlda_status dlda_network_text_read(const char *name, char **text);
DLDA_API void dlda_text_destroy(char *text);

/* A table for people of a network text's layers, shapes and weights, for images of that size (0, 0, 0: as
 * its `input` line says). `where` names the text in errors. */
DLDA_API dlda_status dlda_network_text_describe(const char *text, const char *where, size_t height, size_t width,
                                                size_t channels, char **description);

typedef struct dlda_memory_spec {
    const char *text, *where;       /* a network text, and its name in errors   */
    size_t height, width, channels; /* of the images; 0, 0, 0: as the text says */
    size_t batch;                   /* images at once                           */
    size_t threads;                 /* 0: one per core                          */
} dlda_memory_spec;

/* Bytes that the library holds while a network runs on batches of that size. `training`: values and gradients of all
 * layers, weights, their gradient and momentum, the best model so far, and the images of a batch. `inference`:
 * weights and a workspace. Takes little memory itself. */
DLDA_API dlda_status dlda_network_text_memory(const dlda_memory_spec *spec, size_t *training, size_t *inference);

/* ---- Objectives, for training loops of one's own ------------------------------------------------- */

/* What SGD minimises, as a function of features and labels alone. */
typedef struct dlda_objective dlda_objective;

typedef enum dlda_objective_kind {
    DLDA_OBJECTIVE_LDA,       /* mean of the eigenvalues below (smallest + epsilon): the paper's objective */
    DLDA_OBJECTIVE_LDA_MEAN,  /* mean of all eigenvalues                                                   */
    DLDA_OBJECTIVE_LDA_LOG,   /* mean of log(v + 0.1)                                                      */
    DLDA_OBJECTIVE_LDA_SOFT,  /* eigenvalues weighted by softmax(-v)                                       */
    DLDA_OBJECTIVE_LDA_BAYES, /* log loss of the batch's own LDA classifier                               */
    DLDA_OBJECTIVE_CCE        /* categorical cross entropy of a softmax                                    */
} dlda_objective_kind;

typedef struct dlda_objective_info {
    const char *name; /* as in the option of that name: "lda", "cce"     */
    dlda_objective_kind kind;
    const char *value; /* what its value is called: "separation"          */
    int separates;     /* 1: that value is maximised; the loss is minus it */
    int softmax;       /* 1: the features are the scores of a softmax      */
} dlda_objective_info;

/* NULL if no objective has that name. */
DLDA_API const dlda_objective_info *dlda_objective_find(const char *name);

typedef struct dlda_objective_spec {
    dlda_objective_kind kind;
    size_t classes, features; /* equal for DLDA_OBJECTIVE_CCE                                  */
    size_t batch;             /* largest number of rows                              */
    double lambda, epsilon;   /* of the eigenproblem (0.001) and of DLDA_OBJECTIVE_LDA (1)     */
} dlda_objective_spec;

DLDA_API dlda_status dlda_objective_create(const dlda_objective_spec *spec, dlda_objective **objective);
DLDA_API void dlda_objective_destroy(dlda_objective *objective);

/* Loss of features H [n][features] with labels [n], and its gradient dH of the same shape (may be NULL).
 * Takes no memory. */
DLDA_API dlda_status dlda_objective_evaluate(dlda_objective *objective, const float *H, const int *labels, size_t n,
                                             double *loss, float *dH);
/* The same in double precision throughout. */
DLDA_API dlda_status dlda_objective_evaluate_double(dlda_objective *objective, const double *H, const int *labels,
                                                    size_t n, double *loss, double *dH);

/* The same in stages, for rows that come in portions or lie on several machines. In each round: reset; add, any number of
 * times; merge the sums that other machines exported; solve. After the last round, which gives the loss: gradient, any
 * number of times, of any of these rows.
 *     for (size_t round = 0; round < dlda_objective_rounds(objective); round++) { reset, add, merge, solve }  */
DLDA_API size_t dlda_objective_rounds(const dlda_objective *objective);
DLDA_API void dlda_objective_reset(dlda_objective *objective, size_t round);
DLDA_API dlda_status dlda_objective_add(dlda_objective *objective, const float *H, const int *labels, size_t n);
/* The sums of the current round as one array of `size` doubles. */
DLDA_API size_t dlda_objective_sums_size(const dlda_objective *objective);
DLDA_API void dlda_objective_export_sums(const dlda_objective *objective, double *sums);
DLDA_API dlda_status dlda_objective_merge_sums(dlda_objective *objective, const double *sums, size_t size);
DLDA_API dlda_status dlda_objective_solve(dlda_objective *objective, double *loss);
DLDA_API dlda_status dlda_objective_gradient(dlda_objective *objective, const float *H, const int *labels, size_t n,
                                             float *dH);

/* The eigenvalues of the last evaluation, largest first; count 0 with DLDA_OBJECTIVE_CCE. */
DLDA_API const double *dlda_objective_eigenvalues(const dlda_objective *objective, size_t *count);
/* How many of them that evaluation maximised: those whose weight is not 0. */
DLDA_API size_t dlda_objective_selected(const dlda_objective *objective);

#ifdef __cplusplus
}
#endif
#endif
