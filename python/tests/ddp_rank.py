# SPDX-License-Identifier: MIT
"""One process of test_torch.py's test of several: RANK SIZE STORE OBJECTIVE. Prints the loss and the gradient as JSON."""

import json
import sys

import torch
import torch.distributed as dist
from test_torch import batch

from deeplda.torch import LDALoss

rank, size, store, objective = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=size)
torch.manual_seed(0)
network = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 3).double())
H, labels = batch(60)
loss = LDALoss(3, objective, process_group="world")(network(H[rank::size]), labels[rank::size])
loss.backward()
print(json.dumps([loss.item(), network.module.weight.grad.tolist()]))
dist.destroy_process_group()
