"""`syncline login --sso`: the provider asks who somebody is, in the browser, and sends it back to this machine."""

from __future__ import annotations

import webbrowser
from dataclasses import replace
from typing import TYPE_CHECKING

from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser

if TYPE_CHECKING:
    from syncline.model.server_contexts import ServerContext

_PATIENCE = 300.0


async def log_in_by_browser(context: ServerContext, port: int, *, launch: bool) -> tuple[ServerContext, str]:
    """Return the login with its token, and who that is."""
    from syncline import wiring
    from syncline.verbs.served import sso

    web, secrets = wiring.web(), wiring.unguessable()
    async with wiring.server_api(context) as api:
        config = sso.config_of(await api.get("/api/v1/settings"), context.server)
    authorize, give = await sso.endpoints(web, config)
    async with wiring.login_callback(port) as callback:
        login = sso.BrowserLogin(
            state=secrets.text(32), nonce=secrets.text(32), verifier=secrets.text(48), redirect=callback.address
        )
        address = login.address(authorize, config)
        terminal.echo(f"Opening the browser to log in; if it does not open, go to:\n{address}", err=True)
        if launch:
            webbrowser.open(address)
        try:
            answer = await callback.answer(_PATIENCE)
        except TimeoutError:
            raise NeedsUser(f"there was no login within {_PATIENCE:g} s", hint="log in again") from None
    token = await sso.token_for(web, give, config, login, login.code_of(answer))
    return await _accepted(replace(context, token=token))


async def _accepted(context: ServerContext) -> tuple[ServerContext, str]:
    """Return the login and who the server takes it for; raises where the server does not take it."""
    from syncline import wiring

    async with wiring.server_api(context) as api:
        who = await api.get("/api/v1/session/userinfo")
    if not isinstance(who, dict) or not who.get("loggedIn"):
        raise NeedsUser(f"{context.server} does not accept the token of its provider")
    return context, str(who.get("username") or "")
