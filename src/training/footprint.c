/* SPDX-License-Identifier: MIT
 *
 * footprint.c - predicts the memory use of training and inference without allocating it.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "network/network.h"

dlda_status dlda_network_text_memory(const dlda_memory_spec *spec, size_t *training, size_t *inference)
{
    DLDA_NEED(spec, training, inference);
    DLDA_NEED(spec->text, spec->where);
    dlda_status status = DLDA_OK;
    dlda_network *network = NULL;
    dlda_plan_spec plan = { spec->batch, NULL, 0, DLDA_KERNELS_FAST, DLDA_PRECISION_FLOAT };
    dlda_passes_spec passes = {
        .batch = spec->batch, .group = spec->norm_group, .micro = spec->micro_batch, .kernels = DLDA_KERNELS_FAST
    };
    size_t trains = 0, infers = 0, images = 0;

    DLDA_TRY(dlda_network_parse(spec->text, spec->where, (dlda_shape){ spec->height, spec->width, spec->channels },
                                DLDA_EXAMPLE_CLASSES, &network));
    DLDA_TRY(dlda_team_create(spec->threads, &plan.team)); /* each thread has its own scratch memory */
    passes.team = plan.team;
    DLDA_TRY(dlda_passes_measure(network, &passes, &trains));
    DLDA_TRY(dlda_plan_measure(network, &plan, &infers));
    DLDA_TRY(dlda_multiply_sizes(spec->batch, dlda_shape_size(network->input) * sizeof(float), "images", &images));
    size_t weights = network->n_weights * sizeof(float), state = network->n_state * sizeof(float);
    size_t group = spec->norm_group && spec->norm_group < spec->batch ? spec->norm_group : spec->batch;
    size_t image = images / (spec->batch ? spec->batch : 1), measured = image * group,
           made = dlda_passes_images(&passes);
    /* images: current batch and next batch, or those that the passes make; those being measured. weights: current,
     * gradient, momentum, best model */
    *training = trains + (made ? made * image : 2 * images) + measured + 4 * weights + 2 * state;
    *inference = infers + weights + state;
done:
    dlda_team_destroy(plan.team);
    dlda_network_destroy(network);
    return status;
}
