"""PECOS' XR-Linear: train DATA MODEL THREADS FEATURES | predict DATA MODEL THREADS OUT FEATURES."""

import sys

import numpy
import scipy.sparse
from pecos.xmc import Indexer, LabelEmbeddingFactory
from pecos.xmc.xlinear.model import XLinearModel
from sklearn.datasets import load_svmlight_file

verb, data, folder, threads, *rest = sys.argv[1:]
x, classes = load_svmlight_file(data, n_features=int(rest[-1]), dtype=numpy.float32,
                                zero_based=False)
if verb == "train":
    columns = classes.astype(numpy.int64) - 1
    y = scipy.sparse.csr_matrix((numpy.ones(len(columns), numpy.float32),
                                 (numpy.arange(len(columns)), columns)), dtype=numpy.float32)
    chain = Indexer.gen(LabelEmbeddingFactory.create(y, x, method="pifa"), threads=int(threads))
    XLinearModel.train(x, y.tocsc(), C=chain, threads=int(threads)).save(folder)
else:
    found = XLinearModel.load(folder).predict(x, only_topk=1, threads=int(threads))
    with open(rest[0], "w", encoding="ascii") as out:
        for row in range(found.shape[0]):
            best = found.indices[found.indptr[row]:found.indptr[row + 1]]
            out.write(f"{best[0] if len(best) else ''}\n")
