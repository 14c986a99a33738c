# SPDX-License-Identifier: MIT
"""The objectives as torch losses, with exact gradients in closed form.

CPU tensors of float32 and float64 are used without copies. The library computes in double precision in both cases.
"""

from __future__ import annotations

import ctypes
from typing import Any

import torch
import torch.distributed as dist

from ._library import Handle, byref, lib, struct

__all__ = ["LDALoss", "lda_loss"]


class _Objective:
    """An objective of the library for batches of up to `rows` rows."""

    def __init__(self, objective: str, classes: int, features: int, rows: int, lam: float, epsilon: float) -> None:
        info = lib.dlda_objective_find(objective.encode())
        if not info:
            raise ValueError(
                f"objective is {objective!r}, expected lda, lda-mean, lda-log, lda-soft, lda-bayes, lda-trace, "
                "lda-cce or cce"
            )
        spec = struct["dlda_objective_spec"](classes=classes, features=features, batch=rows, epsilon=epsilon)
        spec.kind = info.contents.kind
        setattr(spec, "lambda", lam)
        self.handle = Handle("dlda_objective_destroy")
        lib.dlda_objective_create(byref(spec), self.handle.out)

    def evaluate(self, H: torch.Tensor, labels: torch.Tensor) -> tuple[float, torch.Tensor]:
        loss, dH = ctypes.c_double(), torch.empty_like(H)
        double = H.dtype == torch.float64
        evaluate = lib.dlda_objective_evaluate_double if double else lib.dlda_objective_evaluate
        evaluate(self.handle, H.data_ptr(), labels.data_ptr(), len(H), byref(loss), dH.data_ptr())
        return loss.value, dH

    def evaluate_together(self, H: torch.Tensor, labels: torch.Tensor, group: Any) -> tuple[float, torch.Tensor]:
        """The loss of the rows of all processes, and the gradient of this one's."""
        double = H.dtype == torch.float64
        add = lib.dlda_objective_add_double if double else lib.dlda_objective_add
        gradient = lib.dlda_objective_gradient_double if double else lib.dlda_objective_gradient
        loss, dH = ctypes.c_double(), torch.empty_like(H)
        for round in range(lib.dlda_objective_rounds(self.handle)):
            lib.dlda_objective_reset(self.handle, round)
            add(self.handle, H.data_ptr(), labels.data_ptr(), len(H))
            sums = torch.empty(lib.dlda_objective_sums_size(self.handle), dtype=torch.float64)
            lib.dlda_objective_export_sums(self.handle, sums.data_ptr())
            parts = [torch.empty_like(sums) for _ in range(dist.get_world_size(group))]
            dist.all_gather(parts, sums, group=group)
            # Merged in the same order by all, so that all have the same bits.
            lib.dlda_objective_reset(self.handle, round)
            for part in parts:
                lib.dlda_objective_merge_sums(self.handle, part.data_ptr(), part.numel())
            lib.dlda_objective_solve(self.handle, byref(loss))
        gradient(self.handle, H.data_ptr(), labels.data_ptr(), len(H), dH.data_ptr())
        # DDP averages the gradients of the processes; the true one is their sum.
        return loss.value, dH * dist.get_world_size(group)

    def eigenvalues(self) -> torch.Tensor:
        count = ctypes.c_size_t()
        address = lib.dlda_objective_eigenvalues(self.handle, byref(count))
        values = torch.empty(count.value, dtype=torch.float64)
        if count.value:
            ctypes.memmove(values.data_ptr(), address, 8 * count.value)
        return values


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, H: torch.Tensor, labels: torch.Tensor, objective: _Objective, group: Any) -> torch.Tensor:
        rows = H.detach().contiguous()
        if group is None:
            value, dH = objective.evaluate(rows, labels)
        else:
            value, dH = objective.evaluate_together(rows, labels, group)
        ctx.save_for_backward(dH)
        return H.new_tensor(value)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator,misc]
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        (dH,) = ctx.saved_tensors
        return dH * grad, None, None, None


class LDALoss(torch.nn.Module):
    """Minus the separation of the classes by LDA, of features (n, d) with labels (n,): minimising it trains DeepLDA.

    Batches should have 20 rows of each class or more. The loss is computed outside of graphs that `torch.compile` makes,
    which it leaves before the loss and enters again after it. Second derivatives are not available.

    Parameters
    ----------
    classes : int
        Labels are 0 to classes - 1.
    objective : {"lda", "lda-mean", "lda-log", "lda-soft", "lda-bayes", "cce", "lda-trace", "lda-cce"}, default="lda"
        The paper's, or a variant (docs/objectives.md).
    lam : float, default=1e-3
        Added to the diagonal of the scatter within the classes.
    epsilon : float, default=1
        Objective "lda": eigenvalues below the smallest plus epsilon are maximised.
    process_group : optional
        Of torch.distributed: the loss is that of the rows of all its processes, which exchange sums. Gradients are scaled
        for DistributedDataParallel, which averages them. "world" is the default group.

    Examples
    --------
    >>> loss = LDALoss(3)
    >>> H = torch.randn(60, 2, requires_grad=True)
    >>> loss(H, torch.arange(60) % 3).backward()
    >>> H.grad.shape, loss.eigenvalues.shape
    (torch.Size([60, 2]), torch.Size([2]))
    """

    def __init__(
        self,
        classes: int,
        objective: str = "lda",
        lam: float = 1e-3,
        epsilon: float = 1.0,
        process_group: Any = None,
    ) -> None:
        super().__init__()
        self.classes = classes
        self.objective = objective
        self.lam = lam
        self.epsilon = epsilon
        self.process_group = process_group
        self._made: tuple[int, int, _Objective] | None = None
        _Objective(objective, classes, classes, 1, lam, epsilon)  # refuses wrong settings here

    def forward(self, features: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return _outside(self, features, labels)

    @property
    def eigenvalues(self) -> torch.Tensor:
        """Of the last batch, largest first; none with "cce"."""
        if self._made is None:
            raise ValueError("there was no batch yet")
        return self._made[2].eigenvalues()

    def extra_repr(self) -> str:
        return f"classes={self.classes}, objective={self.objective!r}, lam={self.lam}, epsilon={self.epsilon}"

    def _objective(self, rows: int, features: int) -> _Objective:
        """The objective of the largest batch so far."""
        if self._made is None or self._made[0] < rows or self._made[1] != features:
            made = _Objective(self.objective, self.classes, features, rows, self.lam, self.epsilon)
            self._made = rows, features, made
        return self._made[2]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}

    def _evaluate(self, features: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        if features.dim() != 2 or labels.shape != features.shape[:1]:
            raise ValueError(f"features {tuple(features.shape)}, labels {tuple(labels.shape)}; expected (n, d) and (n,)")
        if features.device.type != "cpu" or features.dtype not in (torch.float32, torch.float64):
            raise TypeError(f"features are {features.dtype} on {features.device}, expected float32 or float64 on the CPU")
        codes = labels.detach().to("cpu", torch.int32).contiguous()
        group = dist.group.WORLD if self.process_group == "world" else self.process_group
        return _Loss.apply(features, codes, self._objective(*features.shape), group)


def _evaluate(loss: LDALoss, features: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return loss._evaluate(features, labels)


_outside = torch.compiler.disable(_evaluate) if hasattr(torch, "compiler") else _evaluate


def lda_loss(
    features: torch.Tensor,
    labels: torch.Tensor,
    classes: int,
    objective: str = "lda",
    lam: float = 1e-3,
    epsilon: float = 1.0,
) -> torch.Tensor:
    """`LDALoss` as a function."""
    return LDALoss(classes, objective, lam, epsilon)(features, labels)
