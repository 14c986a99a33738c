/* SPDX-License-Identifier: MIT
 *
 * footprint.c - how much memory training and inference take, known before any of it is taken.
 *
 * A plan's memory is a + b n for n images, but for the rounding of each array to whole cache lines. So two small plans
 * tell the size of a large one.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "network/network.h"

enum { SMALL = 8, LARGE = 16 }; /* images of the two plans */

static dlda_status bytes_of(const dlda_network *network, dlda_plan_spec spec, size_t *bytes)
{
    dlda_plan *plan = NULL;
    dlda_status status = dlda_plan_create(network, &spec, &plan);

    if (status == DLDA_OK) *bytes = dlda_plan_bytes(plan);
    dlda_plan_destroy(plan);
    return status;
}

static dlda_status plan_bytes(const dlda_network *network, dlda_plan_spec spec, size_t *bytes)
{
    dlda_status status = DLDA_OK;
    size_t batch = spec.batch, small = 0, large = 0, growth = 0;

    if (batch <= LARGE) return bytes_of(network, spec, bytes);
    spec.batch = SMALL;
    DLDA_TRY(bytes_of(network, spec, &small));
    spec.batch = LARGE;
    DLDA_TRY(bytes_of(network, spec, &large));
    DLDA_TRY(dlda_multiply_sizes(batch - LARGE, large - small, "network memory", &growth));
    *bytes = large + growth / (LARGE - SMALL);
done:
    return status;
}

dlda_status dlda_network_text_memory(const dlda_memory_spec *spec, size_t *training, size_t *inference)
{
    dlda_status status = DLDA_OK;
    dlda_network *network = NULL;
    dlda_plan_spec plan = { spec->batch, dlda_parallel_threads(spec->threads), 1, DLDA_KERNELS_FAST };
    size_t trains = 0, infers = 0, images = 0;

    DLDA_TRY(dlda_network_parse(spec->text, spec->where, (dlda_shape){ spec->height, spec->width, spec->channels },
                                &network));
    DLDA_TRY(plan_bytes(network, plan, &trains));
    plan.training = 0;
    DLDA_TRY(plan_bytes(network, plan, &infers));
    DLDA_TRY(dlda_multiply_sizes(spec->batch, dlda_shape_size(network->input) * sizeof(float), "images", &images));
    size_t weights = network->n_weights * sizeof(float), state = network->n_state * sizeof(float);
    *training = trains + images + 4 * weights + 2 * state; /* weights, gradient, momentum; the best model */
    *inference = infers + weights + state;
done:
    dlda_network_destroy(network);
    return status;
}
