# SPDX-License-Identifier: MIT
"""A torch network with LDALoss on digits: the objective of the paper in a training loop of torch."""

import numpy as np
import torch
from sklearn.datasets import load_digits

from deeplda import LinearDiscriminantAnalysis
from deeplda.torch import LDALoss


def main():
    torch.manual_seed(0)
    X, y = load_digits(return_X_y=True)
    X, y = torch.tensor(X / 16, dtype=torch.float32).reshape(-1, 1, 8, 8), torch.tensor(y)
    test = torch.tensor(np.arange(len(X)) % 4 == 0)
    network = torch.nn.Sequential(
        torch.nn.Conv2d(1, 16, 3, padding=1),
        torch.nn.BatchNorm2d(16),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(16, 32, 3),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(128, 10),
    )
    loss = LDALoss(10, "lda-log")
    optimiser = torch.optim.SGD(network.parameters(), 0.05, momentum=0.9, nesterov=True)
    train_X, train_y = X[~test], y[~test]
    for epoch in range(12):
        for rows in torch.randperm(len(train_X)).split(250):
            optimiser.zero_grad()
            value = loss(network(train_X[rows]), train_y[rows])
            value.backward()
            optimiser.step()
        print(f"epoch {epoch + 1}: separation {-value.item():.3f}, smallest eigenvalue {loss.eigenvalues[-1]:.2f}")
    # The classifier is an LDA of the features, in closed form.
    with torch.no_grad():
        network.eval()
        H = network(X).numpy()
    lda = LinearDiscriminantAnalysis().fit(H[~test], train_y.numpy())
    print(f"test accuracy {100 * lda.score(H[test], y[test].numpy()):.1f} %")


if __name__ == "__main__":
    main()
