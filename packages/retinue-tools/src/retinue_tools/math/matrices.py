"""Matrices of numbers."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
import scipy.linalg
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._arrays import Matrix, Table, array, finite, square


class MatrixResult(TypedDict):
    """A matrix."""

    matrix: Table
    shape: Annotated[list[int], About("Rows and columns")]


class Eigen(TypedDict):
    """An eigenvalue."""

    value: Annotated[float, About("Real part")]
    imaginary: Annotated[float, About("Imaginary part, 0 for real eigenvalues")]
    vector: Annotated[list[float], About("Real parts of the eigenvector of length 1")]
    vector_imaginary: Annotated[list[float], About("Imaginary parts of the eigenvector")]


class Eigenvalues(TypedDict):
    """The eigenvalues of a matrix."""

    eigenvalues: Annotated[list[Eigen], About("Largest absolute value first")]
    symmetric: Annotated[bool, About("Whether the matrix is symmetric")]
    definiteness: Annotated[str, About("Positive definite and so on for symmetric matrices; otherwise not symmetric")]
    spectral_radius: Annotated[float, About("Largest absolute value of an eigenvalue")]


class Factors(TypedDict):
    """A decomposition."""

    factors: Annotated[dict[str, list[list[float]]], About("Matrices by name; their product is the matrix")]
    product: Annotated[str, About("Order of multiplication")]


class Singular(TypedDict):
    """A singular value decomposition."""

    singular_values: Annotated[list[float], About("Largest first")]
    u: Annotated[Table, About("Left singular vectors in columns")]
    vt: Annotated[Table, About("Right singular vectors in rows")]
    rank: Annotated[int, About("Rank: number of singular values that are not zero within rounding")]
    pseudoinverse: Annotated[Table, About("Moore-Penrose inverse")]
    condition_number: Annotated[
        float | None, About("Condition number: largest divided by smallest singular value, null if singular")
    ]
    frobenius_norm: Annotated[float, About("Frobenius norm")]
    nuclear_norm: Annotated[float, About("Nuclear norm: sum of the singular values")]


class LinearSolution(TypedDict):
    """Solution of A x = b."""

    x: Annotated[list[float], About("Solution; the shortest one if there are several")]
    kind: Annotated[Literal["unique", "infinitely_many", "least_squares"], About("Kind of solution")]
    residual_norm: Annotated[float, About("Norm of A x - b")]
    rank: Annotated[int, About("Rank of A")]


@tool(
    tags="matrix multiply add product kronecker hadamard vector transpose",
    use_when=(
        "Multiply [[1,2],[3,4]] by [[5,6],[7,8]]",
        "What is the Kronecker product of two matrices?",
        "Apply this matrix to the vector (1, 2, 3)",
    ),
    examples=(
        Example(
            {"left": [[1, 2], [3, 4]], "right": [[5, 6], [7, 8]]},
            {"matrix": [[19.0, 22.0], [43.0, 50.0]], "shape": [2, 2]},
            source="by hand",
        ),
        Example(
            {"left": [[1, 2]], "right": [[1], [1]], "operation": "kronecker"},
            {"matrix": [[1.0, 2.0], [1.0, 2.0]]},
            source="by hand",
        ),
        Refusal({"left": [[1, 2]], "right": [[1, 2]]}, "columns of the left"),
    ),
    reply="The resulting matrix: {matrix}",
)
def matrix_combine_pair(
    left: Matrix,
    right: Matrix,
    operation: Annotated[
        Literal["multiply", "add", "subtract", "hadamard", "kronecker"], About("hadamard multiplies elementwise")
    ] = "multiply",
) -> MatrixResult:
    """Multiply, add or subtract two matrices, or take their Hadamard or Kronecker product.

    Use it for products of matrices and vectors (a vector is a matrix with one column). Returns the matrix.
    """
    first, second = array(left), array(right)
    if operation == "multiply" and first.shape[1] != second.shape[0]:
        raise ToolError(
            f"The columns of the left matrix ({first.shape[1]}) must equal the rows of the right one ({len(right)})."
        )
    if operation in ("add", "subtract", "hadamard") and first.shape != second.shape:
        raise ToolError("Both matrices must have the same shape.")
    if operation == "kronecker" and first.size * second.size > 40_000:
        raise ToolError("The Kronecker product would have more than 40,000 entries.")
    operations: dict[str, Callable[..., Any]] = {
        "multiply": np.matmul, "add": np.add, "subtract": np.subtract, "hadamard": np.multiply, "kronecker": np.kron,
    }  # fmt: skip
    with np.errstate(all="ignore"):
        result = operations[operation](first, second)
    return {"matrix": finite(result), "shape": [int(size) for size in result.shape]}


@tool(
    tags="eigenvalues eigenvectors spectrum definite matrix stability",
    use_when=(
        "What are the eigenvalues of [[2,1],[1,2]]?",
        "Is this symmetric matrix positive definite?",
        "Find the principal direction of a covariance matrix",
    ),
    examples=(
        Example(
            {"matrix": [[2, 1], [1, 2]]},
            {"definiteness": "positive definite", "spectral_radius": 3.0, "symmetric": True},
            source="trace 4, determinant 3: eigenvalues 3 and 1",
        ),
        Example(
            {"matrix": [[0, -1], [1, 0]]},
            {"spectral_radius": 1.0, "definiteness": "not symmetric"},
            source="a quarter turn has eigenvalues i and -i",
        ),
        Refusal({"matrix": [[1, 2]]}, "square matrix"),
    ),
    reply={
        "symmetric": "The matrix is symmetric and {definiteness}. The eigenvalues: {eigenvalues}",
        "": "The eigenvalues: {eigenvalues}",
    },
)
def matrix_find_eigenvalues(matrix: Matrix) -> Eigenvalues:
    """Find the eigenvalues and eigenvectors of a square matrix numerically, and its definiteness if symmetric.

    Use it for stability, principal axes and definiteness. Complex eigenvalues are returned with their imaginary parts.
    """
    found = square(matrix)
    symmetric = bool(np.allclose(found, found.T, rtol=1e-12, atol=0))
    try:
        values, vectors = np.linalg.eigh(found) if symmetric else np.linalg.eig(found)
    except np.linalg.LinAlgError as error:
        raise ToolError("The eigenvalues did not converge. Scale the matrix.") from error
    order = sorted(range(len(values)), key=lambda place: -abs(values[place]))
    return {
        "eigenvalues": [
            {
                "value": float(values[place].real),
                "imaginary": float(values[place].imag),
                "vector": finite(vectors[:, place].real),
                "vector_imaginary": finite(vectors[:, place].imag),
            }
            for place in order
        ],
        "symmetric": symmetric,
        "definiteness": _definiteness([float(value) for value in values]) if symmetric else "not symmetric",
        "spectral_radius": float(max(abs(values))),
    }


def _definiteness(values: list[float]) -> str:
    edge = 1e-12 * max(map(abs, values), default=0)
    if all(value > edge for value in values):
        return "positive definite"
    if all(value < -edge for value in values):
        return "negative definite"
    if all(value >= -edge for value in values):
        return "positive semidefinite"
    return "negative semidefinite" if all(value <= edge for value in values) else "indefinite"


@tool(
    tags="matrix decomposition lu qr cholesky schur factorization",
    use_when=("Compute the Cholesky factor of [[4,2],[2,3]]", "LU decomposition with pivoting", "QR of a 3x2 matrix"),
    examples=(
        Example(
            {"matrix": [[4, 2], [2, 5]], "kind": "cholesky"},
            {"factors": {"L": [[2.0, 0.0], [1.0, 2.0]]}},
            source="by hand: 2*2 = 4, 2*1 = 2, 1 + 4 = 5",
        ),
        Example(
            {"matrix": [[0, 1], [2, 4]], "kind": "lu"},
            {"factors": {"P": [[0.0, 1.0], [1.0, 0.0]], "U": [[2.0, 4.0], [0.0, 1.0]]}},
            source="by hand: the rows are swapped",
        ),
        Refusal({"matrix": [[1, 2], [2, 1]], "kind": "cholesky"}, "positive definite"),
    ),
    reply="The matrix is {product}. The factors: {factors}",
)
def matrix_decompose_factors(
    matrix: Matrix, kind: Annotated[Literal["lu", "qr", "cholesky", "schur"], About("Kind of decomposition")]
) -> Factors:
    """Decompose a matrix into LU factors with row exchanges, QR, Cholesky or real Schur factors.

    Use it for numerical linear algebra. Returns the factors and the order of their product.
    """
    found = array(matrix) if kind in ("lu", "qr") else square(matrix)
    if kind == "cholesky" and not np.allclose(found, found.T):
        raise ToolError("A Cholesky decomposition needs a symmetric, positive definite matrix.")
    try:
        parts, product = _decompose(found, kind)
    except np.linalg.LinAlgError as error:
        raise ToolError("A Cholesky decomposition needs a symmetric, positive definite matrix.") from error
    return {"factors": {name: finite(part) for name, part in parts.items()}, "product": product}


def _decompose(found: np.ndarray, kind: str) -> tuple[dict[str, np.ndarray], str]:
    match kind:
        case "lu":
            return dict(zip("PLU", scipy.linalg.lu(found), strict=True)), "P L U"
        case "qr":
            return dict(zip("QR", scipy.linalg.qr(found, mode="economic"), strict=True)), "Q R"
        case "schur":
            return dict(zip("TZ", scipy.linalg.schur(found), strict=True)), "Z T Z^T"
    return {"L": np.linalg.cholesky(found)}, "L L^T"


@tool(
    tags="svd singular values rank pseudoinverse condition number norm matrix",
    use_when=("What are the singular values of this matrix?", "How ill-conditioned is it?", "Find the pseudoinverse"),
    examples=(
        Example(
            {"matrix": [[3, 0], [0, 4]]},
            {"singular_values": [4.0, 3.0], "rank": 2, "frobenius_norm": 5.0, "nuclear_norm": 7.0},
            source="a diagonal matrix",
        ),
        Example(
            {"matrix": [[1, 1], [1, 1]]},
            {"rank": 1, "condition_number": None, "pseudoinverse": [[0.25, 0.25], [0.25, 0.25]]},
            source="A/4 fulfils A (A/4) A = A",
        ),
        Refusal({"matrix": [[1, 2], [3]]}, "same number of entries"),
    ),
    reply={
        "condition_number": (
            "The singular values are {singular_values}; the rank is {rank} and the condition number {condition_number}."
        ),
        "": "The singular values are {singular_values}; the rank is {rank}.",
    },
)
def matrix_compute_svd(matrix: Matrix) -> Singular:
    """Compute the singular value decomposition with rank, pseudoinverse, condition number and norms.

    Use it for low-rank structure and for the amplification of errors. Returns u, the values and vt.
    """
    found = array(matrix)
    u, values, vt = np.linalg.svd(found, full_matrices=False)
    edge = values.max() * max(found.shape) * np.finfo(float).eps
    rank = int((values > edge).sum())
    return {
        "singular_values": finite(values),
        "u": finite(u),
        "vt": finite(vt),
        "rank": rank,
        "pseudoinverse": finite(np.linalg.pinv(found)),
        "condition_number": float(values[0] / values[-1]) if rank == len(values) else None,
        "frobenius_norm": float(np.linalg.norm(found)),
        "nuclear_norm": float(values.sum()),
    }


@tool(
    tags="linear system solve equations least squares ax=b overdetermined",
    use_when=(
        "Solve 2x + y = 5 and x - y = 1 as a matrix",
        "Find the least-squares solution of five equations in two unknowns",
    ),
    examples=(
        Example({"a": [[2, 1], [1, -1]], "b": [5, 1]}, {"x": [2.0, 1.0], "kind": "unique"}, source="by hand"),
        Example(
            {"a": [[1, 0], [1, 1], [1, 2]], "b": [6, 0, 0]},
            {"x": [5.0, -3.0], "kind": "least_squares"},
            source="Strang, Introduction to Linear Algebra: the line 5 - 3t",
        ),
        Refusal({"a": [[1, 2]], "b": [1, 2]}, "as many numbers"),
    ),
    reply="The solution is {x}.",
)
def matrix_solve_linear(
    a: Matrix,
    b: Annotated[list[float], About("Right side, one number for each row", [5, 1], min_items=1, max_items=60)],
) -> LinearSolution:
    """Solve a linear system A x = b numerically, by least squares if it has no exact solution.

    Use it for up to 60 equations. Returns the solution, its kind, and the residual.
    """
    found, right = array(a), array([b])[0]
    if len(right) != len(found):
        raise ToolError("b needs as many numbers as the matrix has rows.")
    x, _, rank, _ = np.linalg.lstsq(found, right, rcond=None)
    residual = float(np.linalg.norm(found @ x - right))
    exact = residual <= 1e-9 * max(1e-300, float(np.linalg.norm(right)))
    kind: Literal["unique", "infinitely_many", "least_squares"] = "least_squares"
    if exact or not right.any():
        kind = "unique" if rank == found.shape[1] else "infinitely_many"
    return {"x": finite(x), "kind": kind, "residual_norm": residual, "rank": int(rank)}


@tool(
    tags="matrix exponential logarithm square root power function markov",
    use_when=(
        "Compute the exponential of a matrix",
        "What is this transition matrix to the 10th power?",
        "Square root of a matrix",
    ),
    examples=(
        Example(
            {"matrix": [[0, 1], [0, 0]], "function": "exponential"},
            {"matrix": [[1.0, 1.0], [0.0, 1.0]]},
            source="the series ends: I + N",
        ),
        Example(
            {"matrix": [[1, 1], [1, 0]], "function": "power", "exponent": 10},
            {"matrix": [[89.0, 55.0], [55.0, 34.0]]},
            source="Fibonacci numbers",
        ),
        Refusal({"matrix": [[1, 1], [1, 1]], "function": "power", "exponent": -1}, "singular"),
    ),
    reply="The resulting matrix: {matrix}",
)
def matrix_compute_function(
    matrix: Matrix,
    function: Annotated[Literal["exponential", "logarithm", "square_root", "power"], About("Function to apply")],
    exponent: Annotated[int, About("Exponent for power; -1 inverts", minimum=-1000, maximum=1000)] = 2,
) -> MatrixResult:
    """Compute the exponential, logarithm, square root or a whole power of a square matrix.

    Use it for linear dynamics and Markov chains. Results that are not real are rejected.
    """
    found = square(matrix)
    functions = {"exponential": scipy.linalg.expm, "logarithm": scipy.linalg.logm, "square_root": scipy.linalg.sqrtm}
    try:
        with np.errstate(all="ignore"):
            power = function == "power"
            result = np.linalg.matrix_power(found, exponent) if power else functions[function](found)
    except (np.linalg.LinAlgError, ValueError, OverflowError) as error:
        raise ToolError("The matrix is singular, or this function of it does not exist.") from error
    if np.iscomplexobj(result) and not np.allclose(result.imag, 0, atol=1e-10):
        raise ToolError("The result is not real.")
    return {"matrix": finite(result.real), "shape": [int(size) for size in result.shape]}
