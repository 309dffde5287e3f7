/** `mcp:<client>/<version>`, from what the client calls itself: bounded, and free of anything but letters, digits, `.`, `_` and `-`. */
export const actorOf = (client) => {
    const name = clean(client?.name, 64);
    const version = clean(client?.version, 32);
    return `mcp:${name || 'unknown'}${version && `/${version}`}`;
};
const clean = (value, length) => typeof value === 'string'
    ? value
        .trim()
        .replace(/[^A-Za-z0-9._-]+/g, '-')
        .slice(0, length)
    : '';
//# sourceMappingURL=actor.js.map