"""Coming in, staying, leaving: accounts and sessions (R-42…R-44, ASVS 7)."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from ventuno.web.messages.fields import Body, Code, Message, Name, Secret, Word, check_text


class Registration(Body):
    """`born` is written 1985-12-10; where the house asks for them, it and the tax code are needed."""

    name: Name
    password: Secret
    born: Word = ""
    tax: Word = ""


class Login(Body):
    """`code` is needed of who has a second factor."""

    name: Name
    password: Secret
    code: Code | None = None


class PasswordReset(Body):
    """`reset_code` is what support told; `code` is needed of who has a second factor."""

    name: Name
    reset_code: Annotated[str, Field(min_length=1, max_length=40), AfterValidator(check_text)]
    password: Secret
    code: Code | None = None


class MailedReset(Body):
    name: Name


class MailBody(Body):
    """An empty address takes away the one that was given; the password is asked for either way."""

    mail: Annotated[str, Field(max_length=254), AfterValidator(check_text)]
    password: Secret


class PasswordBody(Body):
    old: Secret
    new: Secret


class EnrolmentBody(Body):
    """Who has a second factor already gives a code of it."""

    code: Code | None = None


class CodeBody(Body):
    code: Code


class LoginResponse(Message):
    """The session itself is in a cookie that no script reads. `last_login` is the one before, 0 for the first."""

    player: str
    name: str
    role: str
    guest: bool
    session: str
    last_login: int


class SessionLine(Message):
    id: str
    address: str
    agent: str
    opened: int
    seen: int
    ends: int
    current: bool


class SessionsResponse(Message):
    sessions: tuple[SessionLine, ...]


class SessionsEnded(Message):
    """How many sessions were ended."""

    ended: int


class AccessTokenBody(Body):
    """`label` is for its owner alone."""

    label: Annotated[str, Field(min_length=1, max_length=40), AfterValidator(check_text)]
    days: Annotated[int, Field(ge=1, le=365, description="for which it is good")] = 90


class AccessTokenLine(Message):
    id: str
    label: str
    given: int
    expires: int


class AccessTokensResponse(Message):
    """`declared`: whether the account is a bot's; only then it has tokens."""

    declared: bool
    tokens: tuple[AccessTokenLine, ...]


class AccessTokenGiven(Message):
    """Shown this once."""

    id: str
    token: str
    expires: int


class TicketResponse(Message):
    """For `/socket?ticket=…`: once, within so many seconds, with the same session."""

    ticket: str
    seconds: int


class FactorOffer(Message):
    """Shown once. It is in force when a first code of it has come back."""

    secret: str
    uri: Annotated[str, Field(description="for the picture that an authenticator reads")]


class RecoveryCodes(Message):
    """The second factor is in force. The codes for a lost telephone are shown this once; each opens once."""

    recovery: tuple[str, ...]
