"""Matrices of exact numbers and expressions."""

from typing import Annotated, Any

import sympy
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._arrays import ExactMatrix
from retinue_tools.math._symbolic import attempt, format_expression, parse_matrix

Exact = Annotated[list[list[str]], About("Exact entries, row by row")]


class Inverse(TypedDict):
    """A matrix and its inverse."""

    determinant: Annotated[str, About("The determinant")]
    inverse: Annotated[Exact | None, About("Inverse; null if the determinant is zero")]
    latex: Annotated[str, About("Inverse, or the matrix if there is none, in LaTeX")]


class Reduced(TypedDict):
    """A matrix in reduced row echelon form."""

    echelon: Exact
    rank: Annotated[int, About("Number of independent rows")]
    pivot_columns: Annotated[list[int], About("Columns with a leading 1, from 0")]
    null_space: Annotated[Exact, About("Basis of all x with A x = 0, one vector per row")]
    column_space: Annotated[Exact, About("Basis of the column space, one vector per row")]


class ExactEigenvalue(TypedDict):
    """An exact eigenvalue."""

    value: Annotated[str, About("The eigenvalue")]
    multiplicity: Annotated[int, About("Algebraic multiplicity")]
    vectors: Annotated[Exact, About("Basis of its eigenspace, one vector per row")]


class Jordan(TypedDict):
    """Exact spectrum of a matrix."""

    characteristic_polynomial: Annotated[str, About("Characteristic polynomial in the variable lambda")]
    eigenvalues: Annotated[list[ExactEigenvalue], About("Eigenvalues with their eigenspaces")]
    diagonalizable: Annotated[bool, About("Whether the eigenvectors span the space")]
    jordan_form: Exact


@tool(
    tags="determinant inverse exact matrix symbolic fractions",
    use_when=(
        "What is the exact inverse of [[2,1],[5,3]]?",
        "Compute the determinant of a matrix with letters a and b",
    ),
    examples=(
        Example(
            {"matrix": [["2", "1"], ["5", "3"]]},
            {"determinant": "1", "inverse": [["3", "-1"], ["-5", "2"]]},
            source="by hand",
        ),
        Example({"matrix": [["a", "b"], ["c", "d"]]}, {"determinant": "a*d - b*c"}, source="definition"),
        Example({"matrix": [["1", "2"], ["2", "4"]]}, {"determinant": "0", "inverse": None}, source="dependent rows"),
        Refusal({"matrix": [["1", "2"]]}, "square"),
    ),
    reply={
        "inverse": "The determinant is {determinant}. The inverse: {inverse}",
        "": "The determinant is {determinant}, so there is no inverse.",
    },
    pace="normal",
)
def matrix_invert_exact(matrix: ExactMatrix) -> Inverse:
    """Compute determinant and inverse of a square matrix of fractions or expressions without rounding.

    Use it for exact answers up to 10 x 10; with variables as entries up to 5 x 5.
    """
    found = _square(matrix)
    with attempt("The inverse could not be computed."):
        determinant = sympy.simplify(found.det(method="berkowitz"))
        inverse = None if determinant == 0 else found.inv(method="ADJ" if found.free_symbols else "GE")
        inverse = inverse if inverse is None else inverse.applyfunc(sympy.simplify)
        return {
            "determinant": format_expression(determinant),
            "inverse": None if inverse is None else _entries(inverse),
            "latex": str(sympy.latex(found if inverse is None else inverse)),
        }


@tool(
    tags="row echelon rref gauss elimination rank null space kernel column space",
    use_when=(
        "Bring this matrix into reduced row echelon form",
        "What is the kernel of [[1,2],[2,4]]?",
        "Are these three vectors independent?",
    ),
    examples=(
        Example(
            {"matrix": [["1", "2"], ["2", "4"]]},
            {"echelon": [["1", "2"], ["0", "0"]], "rank": 1, "null_space": [["-2", "1"]], "pivot_columns": [0]},
            source="by hand",
        ),
        Refusal({"matrix": [["1", "2"], ["3"]]}, "same number of entries"),
    ),
    reply="The rank is {rank}. The reduced matrix: {echelon}",
    pace="normal",
)
def matrix_reduce_rows(matrix: ExactMatrix) -> Reduced:
    """Reduce (bring) a matrix to reduced row echelon form exactly, with rank, null space and column space.

    Use it for Gaussian elimination, linear independence of vectors and solvability.
    """
    found = parse_matrix(matrix)
    with attempt("The matrix could not be reduced."):
        echelon, pivots = found.rref(simplify=True)
        return {
            "echelon": _entries(echelon),
            "rank": len(pivots),
            "pivot_columns": [int(place) for place in pivots],
            "null_space": [_entries(vector.T)[0] for vector in found.nullspace(simplify=True)],
            "column_space": [_entries(vector.T)[0] for vector in found.columnspace(simplify=True)],
        }


@tool(
    tags="jordan normal form characteristic polynomial exact eigenvalues diagonalize",
    use_when=(
        "What is the characteristic polynomial of [[2,1],[1,2]]?",
        "Is [[1,1],[0,1]] diagonalizable?",
        "Find the Jordan form",
    ),
    examples=(
        Example(
            {"matrix": [["1", "1"], ["0", "1"]]},
            {
                "diagonalizable": False,
                "jordan_form": [["1", "1"], ["0", "1"]],
                "characteristic_polynomial": "lambda**2 - 2*lambda + 1",
            },
            source="a Jordan block already",
        ),
        Refusal({"matrix": [["1", "2"]]}, "square"),
    ),
    reply={
        "diagonalizable": (
            "The characteristic polynomial is {characteristic_polynomial}, "
            "and the matrix can be diagonalised. Its Jordan form: "
            "{jordan_form}"
        ),
        "": (
            "The characteristic polynomial is {characteristic_polynomial}, and the matrix "
            "cannot be diagonalised. Its Jordan form: {jordan_form}"
        ),
    },
    tier="pro",
    pace="normal",
)
def matrix_find_jordan_form(matrix: ExactMatrix) -> Jordan:
    """Find the characteristic polynomial, exact eigenvalues with eigenspaces, and the Jordan form of a matrix.

    Use it for exact spectra of small matrices; from 5 x 5 on there may be no closed form.
    """
    found = _square(matrix)
    with attempt("No closed form of the eigenvalues is known. Use matrix_find_eigenvalues."):
        spaces = found.eigenvects(simplify=True)
        values: list[ExactEigenvalue] = [
            {
                "value": format_expression(value),
                "multiplicity": int(multiplicity),
                "vectors": [_entries(vector.T.applyfunc(sympy.simplify))[0] for vector in vectors],
            }
            for value, multiplicity, vectors in spaces
        ]
        polynomial = found.charpoly(sympy.Symbol("lambda")).as_expr()
        return {
            "characteristic_polynomial": format_expression(polynomial),
            "eigenvalues": values,
            "diagonalizable": sum(len(value["vectors"]) for value in values) == found.rows,
            "jordan_form": _entries(found.jordan_form(calc_transform=False)),
        }


def _square(matrix: list[list[str]]) -> Any:
    found = parse_matrix(matrix)
    if found.rows != found.cols:
        raise ToolError(f"A square matrix is required, not {found.rows} x {found.cols}.")
    return found


def _entries(matrix: Any) -> list[list[str]]:
    return [[format_expression(entry) for entry in row] for row in matrix.tolist()]
