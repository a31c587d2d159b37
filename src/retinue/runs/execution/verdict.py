"""Decides whether a model's answer can be used as the reply."""

from dataclasses import dataclass

from retinue.core.errors import RetinueError, Unavailable, ValidationFailed
from retinue.runs.model_answer import ModelAnswer

_RAISE = "Raise max_output_tokens, or leave it out."


@dataclass(frozen=True)
class AnswerProblem:
    """Why an answer is no reply. `may_retry` says whether to ask the model once more."""

    error: RetinueError
    may_retry: bool


def find_problem(answer: ModelAnswer) -> AnswerProblem | None:
    """Return why an answer without tool calls is no reply, or None if it is one."""
    if answer.text.strip():
        if not answer.errors:
            return None
        return AnswerProblem(Unavailable(_describe_mismatch(answer)), True)
    match answer.finish_reason:
        case "content_filter":
            reason = "The provider's content filter withheld the reply. Change the message, or use another model."
            return AnswerProblem(ValidationFailed(reason), False)
        case "refusal":
            reason = "The model declined to answer. Change the message, or use another model."
            return AnswerProblem(ValidationFailed(reason), False)
        case "length":
            return AnswerProblem(ValidationFailed(_describe_exhaustion(answer)), True)
    return AnswerProblem(Unavailable("The model returned an empty reply twice. Try again, or use another model."), True)


def truncation_error(answer: ModelAnswer) -> RetinueError:
    """Return the error of a run whose model twice wrote a tool call that its output limit cut off."""
    return ValidationFailed(f"The model's tool call was cut off at {_tokens(answer)}, twice in a row. {_RAISE}")


def _describe_mismatch(answer: ModelAnswer) -> str:
    """Say why a reply does not fit the output schema."""
    errors = "; ".join(answer.errors)
    if answer.finish_reason == "length":
        return f"The reply does not fit the output schema: {errors}. It was cut off at {_tokens(answer)}. {_RAISE}"
    return f"The reply does not fit the output schema: {errors}."


def _describe_exhaustion(answer: ModelAnswer) -> str:
    """Say what used the output tokens of an empty reply."""
    if answer.reasoning or answer.usage.reasoning_tokens:
        return f"All {_tokens(answer)} were used for reasoning, so there is no reply. {_RAISE}"
    return f"The reply was cut off at {_tokens(answer)}, before it had any text. {_RAISE}"


def _tokens(answer: ModelAnswer) -> str:
    tokens = answer.usage.completion_tokens
    return f"{tokens:,} output tokens" if tokens else "the limit of output tokens"
