import { describe, expect, it } from 'vitest';
import { backportsSource } from '../../services/valkey/install/apt-sources.js';
import { type Machine, type Plan, planInstall } from '../../services/valkey/install/plan.js';

const DEB822 = {
  path: '/etc/apt/sources.list.d/debian.sources',
  text: [
    '# the security archive first',
    'Types: deb\nURIs: http://mirror.example/security\nSuites: bookworm-security\nComponents: main',
    'Types: deb deb-src\n# a comment\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\nComponents: main contrib\nSigned-By:\n -----BEGIN KEY-----\n .\n abc\n -----END KEY-----',
  ].join('\n\n'),
};
const ONE_LINE = {
  path: '/etc/apt/sources.list',
  text: '# deb http://old.example bookworm main\ndeb-src http://mirror.example/debian bookworm main\ndeb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main contrib # fast\n',
};

const machine = (facts: Partial<Machine> = {}): Machine => ({
  platform: 'linux',
  valkey: undefined,
  isRoot: true,
  sudo: false,
  apt: true,
  brew: false,
  engine: undefined,
  os: { id: 'debian', version_id: '12', version_codename: 'bookworm' },
  aptSources: [DEB822],
  systemd: false,
  ...facts,
});
const commandsOf = (plan: Plan): string[] => (plan.kind === 'commands' ? plan.commands.map(({ argv }) => argv.join(' ')) : []);
const ubuntu = (version: string): Partial<Machine> => ({ os: { id: 'ubuntu', version_id: version }, aptSources: [] });
const debian = (version: string): Partial<Machine> => ({ os: { id: 'debian', version_id: version }, aptSources: [] });

describe('the way to a Valkey', () => {
  it('is none at all where there is one', () =>
    expect(planInstall(machine({ valkey: '8.0.1' }))).toEqual({ kind: 'present', version: '8.0.1' }));

  it('on Debian 12 is its backports, from the machine’s own archive', () => {
    const plan = planInstall(machine());
    const [write, update, install, ...rest] = commandsOf(plan);
    expect(write).toContain('/etc/apt/sources.list.d/bookworm-backports.sources');
    expect(plan.kind === 'commands' && plan.commands[0]?.input).toContain('Suites: bookworm-backports');
    expect(update).toMatch(/^env DEBIAN_FRONTEND=noninteractive apt-get .*update/);
    expect(install).toMatch(/install -y .* -t bookworm-backports valkey-server$/);
    expect(rest).toEqual([]);
  });

  it('with sudo does each step with it, never asking', () => {
    const commands = commandsOf(planInstall(machine({ isRoot: false, sudo: true })));
    expect(commands).toHaveLength(3);
    expect(commands.every((command) => command.startsWith('sudo -n '))).toBe(true);
  });

  it('stops the service that the package starts on a machine with systemd', () =>
    expect(commandsOf(planInstall(machine({ systemd: true }))).at(-1)).toBe('systemctl disable --now valkey-server.service'));

  it.each([
    ['Debian 13', debian('13')],
    ['Debian testing', { os: { id: 'debian' }, aptSources: [] }],
    ['Ubuntu 24.04', ubuntu('24.04')],
    ['Ubuntu 26.04', ubuntu('26.04')],
  ])('on %s is the archive itself', (_, facts) => {
    const commands = commandsOf(planInstall(machine(facts)));
    expect(commands).toHaveLength(2);
    expect(commands[1]).not.toContain('backports');
  });

  it('on macOS is Homebrew', () => {
    const plan = planInstall(machine({ platform: 'darwin', apt: false, brew: true, isRoot: false }));
    expect(commandsOf(plan)).toEqual(['brew install valkey']);
  });

  it.each([
    ['an old Debian', debian('11')],
    ['an old Ubuntu', ubuntu('22.04')],
    ['another distribution', { os: { id: 'fedora', version_id: '41' }, apt: false }],
    ['no right to install', { isRoot: false }],
    ['Debian 12 whose archive is not found', { aptSources: [] }],
  ])('with %s is a container where an engine answers, else a page', (_, facts) => {
    expect(planInstall(machine({ ...facts, engine: 'podman' }))).toMatchObject({ kind: 'container', engine: 'podman' });
    const plan = planInstall(machine(facts));
    expect(plan.kind === 'page' && plan.page).toContain('VALKEY_URL=');
  });

  it('that fails leads to the next one', () => {
    const plan = planInstall(machine({ engine: 'docker' }));
    expect(plan.kind === 'commands' && plan.otherwise).toMatchObject({ kind: 'container', engine: 'docker' });
  });

  it('is no container where its socket would stay inside a virtual machine', () =>
    expect(planInstall(machine({ platform: 'darwin', apt: false, engine: 'docker' })).kind).toBe('page'));

  it('says on its page why it did not install', () => {
    const plan = planInstall(machine({ isRoot: false }));
    expect(plan.kind === 'page' && plan.page).toContain('sudo would ask for a password');
  });
});

describe('the backports archive', () => {
  it('keeps address, components and key of a deb822 stanza', () =>
    expect(backportsSource([DEB822], 'bookworm')).toEqual({
      name: 'bookworm-backports.sources',
      text: 'Types: deb deb-src\nURIs: http://mirror.example/debian\nSuites: bookworm-backports\nComponents: main contrib\nSigned-By:\n -----BEGIN KEY-----\n .\n abc\n -----END KEY-----\n',
    }));
  it('keeps options and components of a line', () =>
    expect(backportsSource([ONE_LINE], 'bookworm')).toEqual({
      name: 'bookworm-backports.list',
      text: 'deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm-backports main contrib # fast\n',
    }));
  it('is not added twice', () => {
    expect(backportsSource([ONE_LINE, { path: 'x.list', text: 'deb http://m.example bookworm-backports main' }], 'bookworm')).toBe(
      'present',
    );
    expect(backportsSource([DEB822, { path: 'x.sources', text: 'Types: deb\nURIs: u\nSuites: bookworm-backports\n' }], 'bookworm')).toBe(
      'present',
    );
  });
  it('is not taken from an entry that is switched off', () =>
    expect(
      backportsSource([{ path: 'x.sources', text: 'Types: deb\nEnabled: no\nURIs: u\nSuites: bookworm' }], 'bookworm'),
    ).toBeUndefined());
});
