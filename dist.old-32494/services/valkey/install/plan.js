import { backportsSource } from './apt-sources.js';
/** The server alone, small; pinned, so that a file is never written by a newer server than the one of tomorrow. */
export const IMAGE = 'valkey/valkey:8.1.4';
/** The best way to a valkey-server on this machine, with what to try when it fails. Does nothing by itself. */
export const planInstall = (machine) => {
    if (machine.valkey !== undefined)
        return { kind: 'present', version: machine.valkey };
    const otherwise = withoutPackages(machine);
    if (machine.platform === 'darwin' && machine.brew) {
        return { kind: 'commands', says: 'Installing Valkey with Homebrew', commands: [{ argv: ['brew', 'install', 'valkey'] }], otherwise };
    }
    const commands = machine.platform === 'linux' && machine.apt ? aptCommands(machine) : undefined;
    return commands && (machine.isRoot || machine.sudo)
        ? { kind: 'commands', says: 'Installing Valkey with apt', commands: commands.map((command) => asRoot(machine, command)), otherwise }
        : otherwise;
};
/** A container shares its socket with this machine on Linux only: elsewhere it runs inside a virtual machine. */
const withoutPackages = (machine) => machine.engine !== undefined && machine.platform === 'linux'
    ? { kind: 'container', engine: machine.engine, image: IMAGE }
    : { kind: 'page', page: instructions(machine) };
/** Undefined for a release whose archive has no Valkey. */
const aptCommands = (machine) => {
    const release = releaseOf(machine.os);
    if (release === undefined)
        return undefined;
    const source = release === 'bookworm' ? backportsSource(machine.aptSources, 'bookworm') : 'present';
    if (source === undefined)
        return undefined;
    const write = source === 'present'
        ? []
        : [{ argv: ['sh', '-c', 'cat >"$1"', 'write', `/etc/apt/sources.list.d/${source.name}`], input: source.text }];
    const suite = release === 'bookworm' ? ['-t', 'bookworm-backports'] : [];
    const apt = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=120'];
    return [
        ...write,
        { argv: [...apt, 'update', '-qq'] },
        { argv: [...apt, 'install', '-y', '-qq', '--no-install-recommends', ...suite, 'valkey-server'] },
        // The package starts a service on port 6379 that nobody asked for; this runs only when we brought the package.
        ...(machine.systemd ? [{ argv: ['systemctl', 'disable', '--now', 'valkey-server.service'] }] : []),
    ];
};
/** `bookworm` needs its backports; `newer` has the package in its archive. */
const releaseOf = (os) => {
    const version = Number.parseFloat(os.version_id ?? '');
    if (os.id === 'ubuntu')
        return version >= 24.04 ? 'newer' : undefined;
    if (os.id !== 'debian')
        return undefined;
    if (os.version_codename === 'bookworm' || version === 12)
        return 'bookworm';
    return version > 12 || os.version_id === undefined ? 'newer' : undefined;
};
const asRoot = (machine, command) => machine.isRoot ? command : { ...command, argv: ['sudo', '-n', ...command.argv] };
const instructions = (machine) => {
    const how = machine.platform === 'darwin'
        ? ['  brew install valkey        (Homebrew: see its home page)']
        : [
            '  Debian 13, Ubuntu 24.04 and later:  sudo apt-get install valkey-server',
            '  Debian 12:                          sudo apt-get install -t bookworm-backports valkey-server   (with backports enabled)',
            '  Fedora, Alpine, Arch:               sudo dnf install valkey · sudo apk add valkey · sudo pacman -S valkey',
        ];
    const sudo = machine.apt && !machine.isRoot && !machine.sudo
        ? ['It was not installed for you because that needs root, and sudo would ask for a password.', '']
        : [];
    return [
        'OmniMem keeps everything in Valkey, and there is no valkey-server on this machine.',
        '',
        ...sudo,
        'Do one of these, then start again:',
        ...how,
        `  or a container:                     docker run -d -p 127.0.0.1:6379:6379 -v omnimem:/data ${IMAGE} valkey-server --appendonly yes --appendfsync always`,
        '                                      and VALKEY_URL=redis://127.0.0.1:6379 in .env',
        '  or a server that you have already:  VALKEY_URL=redis://host:6379 in .env',
    ].join('\n');
};
//# sourceMappingURL=plan.js.map