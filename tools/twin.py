#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""twin.py - the mathematics of deeplda once more, in plain NumPy and SciPy: slow, short, easy to check.

tools/make-golden writes its answers to tests/golden, and the C tests compare themselves to them. To be a
check at all, nothing here follows the C code. In particular the gradient is not the closed form of
docs/method.md: each single component of H is perturbed, the derivatives of St and Sw are written out from their
definitions (with the means moving along), and dv = e'(dSb - v dSw)e is summed. Run as a program it compares
that with finite differences:

    tools/twin.py
"""
import sys

import numpy as np
import scipy.linalg

OBJECTIVES = ("lda", "lda-mean", "lda-log", "lda-soft", "lda-bayes", "cce", "lda-trace", "lda-cce")
LOG_SHIFT, LOG_FLOOR = 0.1, 0.01


# ---- scatter and eigenproblem ---------------------------------------------------------------------------

def usable_classes(labels, C):
    """The classes with at least two rows."""
    return [c for c in range(C) if np.count_nonzero(labels == c) >= 2]


def scatter(H, labels, C):
    """St [D][D] of all rows, Sw [D][D]: the mean covariance of the usable classes. Sums in extended precision."""
    H = np.asarray(H, dtype=np.longdouble)
    X = H - H.mean(axis=0)
    St = X.T @ X / (len(H) - 1)
    covariances = []
    for c in usable_classes(labels, C):
        Xc = H[labels == c] - H[labels == c].mean(axis=0)
        covariances.append(Xc.T @ Xc / (len(Xc) - 1))
    Sw = sum(covariances) / len(covariances)
    return St.astype(float), Sw.astype(float)


def eigen(H, labels, C, lam):
    """v [K], largest first, and E [K][D] with e'(Sw + lambda I)e = 1, the largest component of each e positive."""
    St, Sw = scatter(H, labels, C)
    D = H.shape[1]
    K = min(len(usable_classes(labels, C)) - 1, D)
    v, V = scipy.linalg.eigh(St - Sw, Sw + lam * np.eye(D))
    v, E = v[::-1][:K], V.T[::-1][:K]
    signs = np.sign(E[np.arange(K), np.abs(E).argmax(axis=1)])
    return v.copy(), E * signs[:, None]


# ---- objectives: functions f of the spectrum, to be maximised; the loss is -f ------------------------------

def of_spectrum(name, v, epsilon):
    """f(v) and df/dv [K]."""
    K = len(v)
    if name == "lda":
        chosen = v < v.min() + epsilon
        return v[chosen].mean(), chosen / np.count_nonzero(chosen)
    if name == "lda-mean":
        return v.mean(), np.full(K, 1 / K)
    if name == "lda-log":
        # Below the floor the logarithm goes on as its tangent: no NaN, and the gradient never dies.
        a = v + LOG_SHIFT
        safe = np.maximum(a, LOG_FLOOR)
        return (np.log(safe) + (a - safe) / LOG_FLOOR).mean(), 1 / safe / K
    if name == "lda-soft":
        s = np.exp(v.min() - v)
        s /= s.sum()
        return s @ v, s
    if name == "lda-trace":
        # All is well above the guard of the C code: 1 + v is a variance in units of the one within classes.
        return (v / (1 + v)).mean(), 1 / (1 + v) ** 2 / K
    raise ValueError(name)


def cross_entropy(H, labels):
    """Mean of -log softmax(H)[label]; and its gradient."""
    Z = H - H.max(axis=1, keepdims=True)
    logp = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    N = len(H)
    return -logp[np.arange(N), labels].mean(), (np.exp(logp) - np.eye(H.shape[1])[labels]) / N


def own_log_loss(H, labels, C, lam):
    """Log loss of the batch's own LDA, each row with the mean of its class without it. H may be complex."""
    usable = usable_classes(labels, C)
    H = H - H.mean(axis=0)
    Sw = sum((lambda X: X.T @ X / (len(X) - 1))(H[labels == c] - H[labels == c].mean(axis=0)) for c in usable)
    inverse = np.linalg.inv(Sw / len(usable) + lam * np.eye(H.shape[1]))
    X = H[:, None, :] - np.array([H[labels == c].mean(axis=0) for c in usable])  # [N][C'][D]
    for i, y in enumerate(labels):
        if y in usable:
            others = np.flatnonzero(labels == y)
            X[i, usable.index(y)] = H[i] - H[others[others != i]].mean(axis=0)
    X = X[np.isin(labels, usable)]
    d = -np.einsum("ncj,jk,nck->nc", X, inverse, X, optimize=True) / 2
    largest = d.real.max(axis=1)
    own = d[np.arange(len(d)), [usable.index(y) for y in labels if y in usable]]
    return (largest + np.log(np.exp(d - largest[:, None]).sum(axis=1)) - own).mean()


def complex_step_gradient(function, H, step=1e-30):
    """Exact to rounding, for an analytic function of H: f(H + ih) = f(H) + ih f'(H)."""
    G = np.empty(H.shape)
    for at in np.ndindex(H.shape):
        moved = H.astype(complex)
        moved[at] += 1j * step
        G[at] = function(moved).imag / step
    return G


def loss(name, H, labels, C, lam, epsilon):
    if name == "cce":
        return cross_entropy(H, labels)[0]
    if name == "lda-bayes":
        return own_log_loss(H, labels, C, lam)
    if name == "lda-cce":
        return loss("cce", H, labels, C, lam, epsilon) + (1 + loss("lda-trace", H, labels, C, lam, epsilon)) / 2
    return -of_spectrum(name, eigen(H, labels, C, lam)[0], epsilon)[0]


def gradient(name, H, labels, C, lam, epsilon):
    """dLoss/dH [N][D], one component of H at a time."""
    if name == "cce":
        return cross_entropy(H, labels)[1]
    if name == "lda-bayes":
        return complex_step_gradient(lambda x: own_log_loss(x, labels, C, lam), H)
    if name == "lda-cce":
        return gradient("cce", H, labels, C, lam, epsilon) + gradient("lda-trace", H, labels, C, lam, epsilon) / 2
    v, E = eigen(H, labels, C, lam)
    w = of_spectrum(name, v, epsilon)[1]
    return -np.tensordot(w, eigenvalue_gradients(H, labels, C, v, E), axes=1)


def eigenvalue_gradients(H, labels, C, v, E):
    """dv_j/dh_ik as [K][N][D]."""
    N, D = H.shape
    usable = usable_classes(labels, C)
    X = (H - H.astype(np.longdouble).mean(axis=0)).astype(float)
    centred = {c: (H[labels == c] - H[labels == c].astype(np.longdouble).mean(axis=0)).astype(float)
               for c in usable}
    G = np.empty((len(v), N, D))
    for i in range(N):
        for k in range(D):
            dSt = derivative(X, i, k) / (N - 1)
            dSw = np.zeros((D, D))
            c = labels[i]
            if c in usable:
                within = np.count_nonzero(labels[:i] == c)  # which row of its class
                dSw = derivative(centred[c], within, k) / (len(centred[c]) - 1) / len(usable)
            for j, e in enumerate(E):
                G[j, i, k] = e @ (dSt - dSw - v[j] * dSw) @ e
    return G


def derivative(X, i, k):
    """d(X'X)/dh_ik for X = H - mean(H): row i moves by one in column k, and so does the mean, by 1/N."""
    dX = np.zeros_like(X)
    dX[i, k] = 1
    dX[:, k] -= 1 / len(X)
    return dX.T @ X + X.T @ dX


def difference_gradient(name, H, labels, C, lam, epsilon, step=1e-3):
    """The gradient once more, by central differences of fourth order. The weights of lda-soft are constants."""
    if name == "lda-soft":
        s = of_spectrum(name, eigen(H, labels, C, lam)[0], epsilon)[1]
        value = lambda x: -(s @ eigen(x, labels, C, lam)[0])
    else:
        value = lambda x: loss(name, x, labels, C, lam, epsilon)
    G = np.empty_like(H)
    for at in np.ndindex(H.shape):
        f = {}
        for m in (-2, -1, 1, 2):
            moved = H.copy()
            moved[at] += m * step
            f[m] = value(moved)
        G[at] = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * step)
    return G


# ---- the classifier ----------------------------------------------------------------------------------------

def log_sum_exp(a):
    top = a.max(axis=1, keepdims=True)
    return top + np.log(np.exp(a - top).sum(axis=1, keepdims=True))


class Head:
    """T = M A A', d = h T' - diag(M T')/2, over the usable classes."""

    def __init__(self, H, labels, C, lam):
        self.C, self.usable = C, usable_classes(labels, C)
        self.values, self.E = eigen(H, labels, C, lam)
        M = np.array([H[labels == c].mean(axis=0) for c in self.usable])
        self.T = M @ self.E.T @ self.E
        self.half = np.einsum("cd,cd->c", M, self.T) / 2
        counts = np.array([np.count_nonzero(labels == c) for c in self.usable])
        self.log_prior = np.log(counts / counts.sum())

    def transform(self, X):
        return X @ self.E.T

    def scores(self, X, kind):
        d = X @ self.T.T - self.half
        return d + self.log_prior if kind == "bayes" else d

    def predict(self, X, kind):
        """labels [n], and probabilities [n][C]."""
        s = self.scores(X, kind)
        # log of 1/(1+exp(-d)); the logarithm keeps p'/sum p' defined where every p' underflows.
        log_p = s if kind == "bayes" else -np.logaddexp(0, -s)
        proba = np.zeros((len(X), self.C))
        proba[:, self.usable] = np.exp(log_p - log_sum_exp(log_p))
        return np.array(self.usable)[s.argmax(axis=1)], proba


# ---- the optimiser -----------------------------------------------------------------------------------------

def nesterov(weights, gradients, rate, momentum, decay):
    """The weights [steps][n] and velocities [steps][n] after each step, as in Lasagne's nesterov_momentum."""
    w, v = weights.astype(float), np.zeros(len(weights))
    all_w, all_v = [], []
    for step in gradients.astype(float):
        g = step + 2 * decay * w
        v = momentum * v - rate * g
        w = w + momentum * v - rate * g
        all_w.append(w)
        all_v.append(v)
    return np.array(all_w), np.array(all_v)


# ---- preparation of images -----------------------------------------------------------------------------------

def standardise(train, X):
    """Each channel, the last axis, to mean 0 and deviation 1 over all training images."""
    axes = tuple(range(train.ndim - 1))
    return (X - train.mean(axis=axes)) / train.std(axis=axes)


def gcn(X, scale=55.0, bias=0.0):
    """Global contrast normalisation as in pylearn2: each image to mean 0 and length `scale`."""
    rows = X.reshape(len(X), -1)
    rows = rows - rows.mean(axis=1, keepdims=True)
    divisor = np.sqrt(bias + (rows ** 2).sum(axis=1)) / scale
    divisor[divisor < 1e-8] = 1
    return (rows / divisor[:, None]).reshape(X.shape)


def zca(train, X, bias=0.1):
    """ZCA whitening as in pylearn2."""
    rows, others = train.reshape(len(train), -1), X.reshape(len(X), -1)
    mean = rows.mean(axis=0)
    centred = rows - mean
    d, V = scipy.linalg.eigh(centred.T @ centred / len(rows) + bias * np.eye(rows.shape[1]))
    return ((others - mean) @ (V / np.sqrt(d)) @ V.T).reshape(X.shape)


# ---- self-check --------------------------------------------------------------------------------------------

def main():
    rng = np.random.default_rng(1)
    labels = np.array([0, 1, 2, 3] * 5 + [0, 0, 4])
    H = rng.normal(size=(len(labels), 5)) + rng.normal(size=(5, 5))[labels]
    worst = 0.0
    for name in OBJECTIVES:
        exact = gradient(name, H, labels, 5, 1e-3, 1.0)
        error = np.abs(exact - difference_gradient(name, H, labels, 5, 1e-3, 1.0)).max() / np.abs(exact).max()
        print("%-9s gradient against finite differences: %.1e" % (name, error))
        worst = max(worst, error)
    return 0 if worst < 1e-8 else 1


if __name__ == "__main__":
    sys.exit(main())
