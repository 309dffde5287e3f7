/** What our own command line calls itself when it speaks to a running instance. */
export const CLI_CLIENT = 'omnimem-cli';

/** `cli` for our own command line, else `mcp:<client>/<version>`, from what the client calls itself: bounded, and free of anything but letters, digits, `.`, `_` and `-`. */
export const actorOf = (client: { readonly name?: unknown; readonly version?: unknown } | undefined): string => {
  const name = clean(client?.name, 64);
  const version = clean(client?.version, 32);
  if (name === CLI_CLIENT) return 'cli';
  return `mcp:${name || 'unknown'}${version && `/${version}`}`;
};

const clean = (value: unknown, length: number): string =>
  typeof value === 'string'
    ? value
        .trim()
        .replace(/[^A-Za-z0-9._-]+/g, '-')
        .slice(0, length)
    : '';
