// Where a login may lead: to a page of this server, nowhere else. The server has the same rule (redirects.py), and a
// test compares the two.

/** A path with no empty part, no backslash and no hidden control character; then a query or fragment, all in ASCII. */
const OWN =
  /^\/(?!\/|%2[Ff])(?:[A-Za-z0-9_~!$&'()*+,;=:@.-]|%(?![01]|5[Cc]|7[Ff])[0-9A-Fa-f]{2}|\/(?!\/|%2[Ff]))*(?:[?#][!-[\]-~]*)?$/;
const LONGEST = 2048;

/** The page that was asked for, or the fleet where that is not a page of this server however it is spelt. */
export function safeTarget(to: string | null): string {
  return to && to.length <= LONGEST && OWN.test(to) ? to : "/fleet";
}
