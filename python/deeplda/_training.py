# SPDX-License-Identifier: MIT
"""Runs a training of the library: options, callbacks, progress, Ctrl-C."""

from __future__ import annotations

import ctypes
import math
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._estimator import ConvergenceWarning
from ._images import Dataset
from ._library import Handle, byref, constant, lib, read_doubles, struct
from .model import Model

Record = dict[str, Any]


class Options:
    """Options of the library by name; docs/options.md lists them."""

    def __init__(self) -> None:
        self.handle = Handle("dlda_options_destroy")
        lib.dlda_options_create(self.handle.out)

    def set(self, name: str, value: Any) -> None:
        if isinstance(value, (bool, np.bool_)):
            value = "true" if value else "false"
        elif isinstance(value, (tuple, list)):
            value = ("x" if name == "resize" else ",").join(map(str, value))
        lib.dlda_options_set(self.handle, name.encode(), str(value).encode())

    def get(self, name: str) -> str:
        return lib.dlda_options_get(self.handle, name.encode()).decode()

    def choose(self, data: Dataset) -> list[tuple[str, str, str]]:
        """Sets what was not given to what suits these data; the choices with their reasons."""
        choices: list[tuple[str, str, str]] = []

        def tell(_user: Any, *texts: bytes) -> None:
            option, value, reason = (t.decode() for t in texts)
            choices.append((option, value, reason))

        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)
        lib.dlda_options_choose(self.handle, data.handle, ctypes.cast(kind(tell), ctypes.c_void_p), None)
        return choices


class Training:
    """One training, from data sets to a model.

    `callbacks` are called after each epoch with its record; one that returns True ends the training, and an exception of
    one ends it, too, and is raised again. So does an exception of the handler of Ctrl-C, after the current batch.
    """

    def __init__(
        self,
        options: Options,
        train: Dataset,
        validation: Dataset | None,
        callbacks: Sequence[Callable[[Record], Any]] = (),
        verbose: int = 0,
    ) -> None:
        self._trainer = Handle("dlda_trainer_destroy", keeps=(train, validation))  # its thread reads them until its end
        held_out = None if validation is None else validation.handle
        lib.dlda_trainer_create(options.handle, train.handle, held_out, self._trainer.out)
        self._callbacks = list(callbacks)
        self._progress = _Progress(int(options.get("epochs"))) if verbose else None
        self._stops = False
        self._raised: BaseException | None = None
        self._messages: list[str] = []

    def close(self) -> None:
        """Ends the trainer. The collector of cycles might destroy its data first."""
        self._trainer.close()

    def start_from(self, model: Model) -> None:
        """Starts from the weights of a model."""
        lib.dlda_trainer_start_from(self._trainer, model._handle)

    def record(self, folder: Any) -> None:
        """Writes the files of a run into a folder, for `deeplda report`."""
        lib.dlda_trainer_record(self._trainer, os.fsencode(folder), 0)

    def run(self) -> None:
        """Trains. After an exception, `model` and `history` are those of the complete epochs."""
        watch = struct["dlda_watch"]()
        types = dict(watch._fields_)
        watch.log = types["log"](lambda _user, message: self._messages.append(message.decode("utf-8", "replace")))
        watch.epoch = types["epoch"](self._on_epoch)
        watch.stop = types["stop"](lambda _user: int(self._stops))
        if self._progress:
            watch.batch = types["batch"](self._progress.batch)
        lib.dlda_trainer_watch(self._trainer, byref(watch))
        try:
            with _Interrupt(self):
                status = lib.dlda_trainer_run(self._trainer)
                if status == constant["DLDA_E_STOPPED"] and self.history:
                    lib.dlda_trainer_finish(self._trainer)
        finally:
            lib.dlda_trainer_watch(self._trainer, None)
            if self._progress:
                self._progress.close()
        self._warn()
        if isinstance(self._raised, KeyboardInterrupt):
            raise KeyboardInterrupt(self._how_far()) from None
        if self._raised:
            raise self._raised

    def _how_far(self) -> str:
        done = len(self.history)
        kept = (
            "the best model so far is kept"
            if lib.dlda_trainer_model(self._trainer)
            else "no epoch was measured yet, so there is no model"
        )
        return f"the training was stopped after {done} complete epoch{'s' * (done != 1)}; {kept}"

    def stop(self, error: BaseException) -> None:
        """Ends the training after the current batch; `run` raises the first such error."""
        self._raised, self._stops = self._raised or error, True

    def _warn(self) -> None:
        """Issues the warnings of the library; its other messages are notes."""
        for message in self._messages:
            if message.startswith("warning: "):
                warnings.warn(message[len("warning: ") :], ConvergenceWarning, stacklevel=5)

    def _on_epoch(self, _user: Any, epoch: Any) -> None:
        record = _record(epoch.contents)
        try:
            if self._progress:
                self._progress.epoch(record)
            for callback in self._callbacks:
                if callback(record):
                    self._stops = True
        except BaseException as error:
            self.stop(error)

    @property
    def history(self) -> list[Record]:
        count = ctypes.c_size_t()
        epochs = lib.dlda_trainer_history(self._trainer, byref(count))
        return [_record(epochs[i]) for i in range(count.value)]

    def model(self, n_jobs: int | None) -> Model | None:
        """The best model; None before the first epoch is complete."""
        found = lib.dlda_trainer_model(self._trainer)
        if not found:
            return None
        copy = Handle("dlda_model_destroy")
        lib.dlda_model_copy(found, copy.out)
        return Model(copy, n_jobs)


def _record(epoch: Any) -> Record:
    record = {name: getattr(epoch, name) for name, _ in epoch._fields_ if name not in ("n_eigenvalues", "eigenvalues")}
    record["best"] = bool(record["best"])
    record["eigenvalues"] = read_doubles(epoch.eigenvalues, epoch.n_eigenvalues)
    return record


class _Interrupt:
    """In the main thread, calls the handler of Ctrl-C so that its exception ends the training: Python runs handlers inside
    the functions that the library calls, where an exception would be lost. One that raises nothing lets it go on."""

    def __init__(self, training: Training) -> None:
        self._training = training
        self._former: Any = None

    def __enter__(self) -> None:
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(handler):
            self._former = handler
            signal.signal(signal.SIGINT, self._handle)

    def _handle(self, number: int, frame: Any) -> None:
        try:
            self._former(number, frame)
        except BaseException as error:
            self._training.stop(error)

    def __exit__(self, *_error: Any) -> None:
        if self._former is not None:
            signal.signal(signal.SIGINT, self._former)


class _Progress:
    """Epochs as they end: a bar of tqdm if it is installed, else lines on standard error."""

    def __init__(self, epochs: int) -> None:
        self._bar: Any = None
        self._shown = 0.0
        try:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=epochs, unit="epoch")
        except ImportError:
            pass

    def batch(self, _user: Any, progress: Any) -> None:
        now = time.monotonic()
        if now - self._shown < 0.2:
            return
        self._shown = now
        p = progress.contents
        words = f"batch {p.batch}/{p.batches}, {p.images_per_second:.0f} images/s"
        if self._bar is not None:
            self._bar.set_postfix_str(words, refresh=True)
        elif sys.stderr.isatty():
            print(f"\repoch {p.epoch}/{p.epochs}, {words} ", end="", file=sys.stderr, flush=True)

    def epoch(self, record: Record) -> None:
        value = record["separation"]
        words = f"loss {record['loss']:.4f}" if math.isnan(value) else f"separation {value:.4f}"
        for name in ("train", "validation"):
            if not math.isnan(record[f"{name}_accuracy"]):
                words += f", {name} {100 * record[f'{name}_accuracy']:.2f} %"
        if self._bar is not None:
            self._bar.set_description_str(words, refresh=False)
            self._bar.update(1)
        else:
            start = "\r" if sys.stderr.isatty() else ""
            print(f"{start}epoch {record['epoch']}: {words}, {record['seconds']:.1f} s   ", file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
