"""Markdown for pages: the server takes it apart, so that no page has to read it."""

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse

from prowess.serve.auth import Anyone
from prowess.workflow.renderers.parts import parts_of

router = APIRouter(prefix="/api", tags=["server"])
LONGEST = 30_000  # characters; more would take seconds


class Text(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"text": "**41** apples were sold."}}
    )

    text: str = Field(max_length=LONGEST)


@router.post("/markdown", response_model=None)
def read_markdown(_: Anyone, asked: Text) -> JSONResponse:
    """Its parts: a text, or `{"tag", "parts"}` with the `href` of a link and the `start` of a list."""
    return JSONResponse({"parts": parts_of(asked.text)})
