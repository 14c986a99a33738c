# SPDX-License-Identifier: MIT
"""LDALoss: gradients, types, torch.compile, and several processes."""

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from deeplda.torch import LDALoss, lda_loss

OBJECTIVES = ["lda", "lda-mean", "lda-log", "lda-soft", "lda-bayes", "cce", "lda-trace", "lda-cce"]


def batch(n=48, classes=3, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(n) % classes
    H = torch.randn(n, classes, generator=generator, dtype=torch.float64)
    return (H + torch.nn.functional.one_hot(labels, classes)).to(dtype), labels


def test_gradient_of_soft_weights():
    """The weights of lda-soft are constants for its gradient (docs/method.md, step 4)."""
    H, labels = batch(24)
    loss = LDALoss(3, "lda-soft")
    loss(H.requires_grad_(), labels).backward()
    weights = torch.softmax(-loss.eigenvalues, 0)
    with torch.no_grad():
        for i, j in [(0, 0), (5, 1), (23, 2)]:
            values = []
            for step in (1e-5, -1e-5):
                moved = H.clone()
                moved[i, j] += step
                loss(moved, labels)
                values.append(-(weights * loss.eigenvalues).sum())
            assert abs((values[0] - values[1]) / 2e-5 - H.grad[i, j]) < 1e-7


@pytest.mark.parametrize("objective", [name for name in OBJECTIVES if name != "lda-soft"])
def test_gradient(objective):
    H, labels = batch(24)
    loss = LDALoss(3, objective, epsilon=100)  # all eigenvalues: the choice among them is not smooth
    assert torch.autograd.gradcheck(loss, (H.requires_grad_(), labels))
    value = loss(H, labels)
    (3 * value).backward()
    (expected,) = torch.autograd.grad(loss(H, labels), H)
    torch.testing.assert_close(H.grad, 3 * expected)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_float_and_double_agree(objective):
    H, labels = batch(60)
    wide, narrow = H.clone().requires_grad_(), H.float().requires_grad_()
    a, b = lda_loss(wide, labels, 3, objective), lda_loss(narrow, labels, 3, objective)
    a.backward()
    b.backward()
    assert b.dtype == torch.float32
    torch.testing.assert_close(a.float(), b, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(wide.grad.float(), narrow.grad, rtol=1e-4, atol=1e-6)


def test_cross_entropy_is_that_of_torch():
    H, labels = batch()
    torch.testing.assert_close(lda_loss(H, labels, 3, "cce"), torch.nn.functional.cross_entropy(H, labels))


def test_layouts_batches_and_labels():
    H, labels = batch(60)
    loss = LDALoss(3)
    expected = loss(H, labels)
    turned = H.T.contiguous().T
    assert not turned.is_contiguous()
    torch.testing.assert_close(loss(turned, labels.int()), expected, rtol=0, atol=0)
    loss(H[:30], labels[:30])  # a smaller batch, then a larger one
    torch.testing.assert_close(loss(H, labels), expected, rtol=0, atol=0)
    assert len(loss.eigenvalues) == 2 and loss.eigenvalues[0] >= loss.eigenvalues[1] > 0
    for again in (pickle.loads(pickle.dumps(loss)), copy.deepcopy(loss)):
        torch.testing.assert_close(again(H, labels), expected, rtol=0, atol=0)
    assert "objective='lda'" in repr(loss)


def test_what_is_refused():
    H, labels = batch()
    for arguments, kind, words in [
        ((H[0], labels[0]), ValueError, "expected"),
        ((H, labels[:5]), ValueError, "expected"),
        ((H.half(), labels), TypeError, "float16"),
        ((H, labels + 1), ValueError, "label 3"),
        ((H * float("nan"), labels), ValueError, "finite"),
        ((H, labels * 0), ValueError, "two classes"),
    ]:
        with pytest.raises(kind, match=words):
            LDALoss(3)(*arguments)
    with pytest.raises(ValueError, match="objective"):
        LDALoss(3, "nothing")
    with pytest.raises(ValueError, match="no batch"):
        LDALoss(3).eigenvalues  # noqa: B018


def test_a_network_learns():
    torch.manual_seed(0)
    H, labels = batch(300, dtype=torch.float32)
    network = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    loss = LDALoss(3, "lda-log")
    optimiser = torch.optim.SGD(network.parameters(), 0.05, momentum=0.9)
    first = loss(network(H), labels).item()
    for _ in range(30):
        optimiser.zero_grad()
        loss(network(H), labels).backward()
        optimiser.step()
    assert loss(network(H), labels).item() < first - 0.1


@pytest.mark.slow
def test_compile():
    H, labels = batch(dtype=torch.float32)
    network, loss = torch.nn.Linear(3, 3), LDALoss(3)

    def step(X, y):
        return loss(network(X), y)

    compiled = torch.compile(step, backend="eager")
    torch.testing.assert_close(compiled(H, labels), step(H, labels))


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["lda", "lda-bayes"])
def test_several_processes(objective, tmp_path):
    """Two processes have the loss and the gradient of one that has all rows."""
    torch.manual_seed(0)
    network = torch.nn.Linear(3, 3).double()
    H, labels = batch(60)
    loss = lda_loss(network(H), labels, 3, objective)
    loss.backward()
    script, store = Path(__file__).with_name("ddp_rank.py"), tmp_path / "store"
    workers = [
        subprocess.Popen([sys.executable, script, str(rank), "2", store, objective], stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    results = [json.loads(worker.communicate(timeout=120)[0]) for worker in workers]
    assert results[0] == results[1]
    assert abs(results[0][0] - loss.item()) < 1e-9
    np.testing.assert_allclose(results[0][1], network.weight.grad.numpy(), rtol=1e-7, atol=1e-10)
