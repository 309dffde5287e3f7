import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from './figures.js';
import type { Machine } from './machine.js';

export type Run = {
  readonly at: string;
  readonly mode: 'quick' | 'full';
  readonly seconds: number;
  readonly machine: Machine;
  readonly figures: readonly Figure[];
  /** Scenarios that did not run or broke, with the reason. */
  readonly skipped: readonly { readonly scenario: string; readonly reason: string }[];
};

/** Writes the run as JSON and answers the path. */
export const writeRun = (run: Run, folder: string): string => {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${run.at.replace(/[:.]/g, '-')}-${run.mode}.json`);
  writeFileSync(path, `${JSON.stringify(run, null, 2)}\n`);
  return path;
};

const HEADER = ['figure', 'memories', 'value', 'rounds', 'baseline', 'ratio', 'target'];

/** The run as a table for people, which is also Markdown. */
export const tableOf = ({ figures, machine, skipped, seconds, mode }: Run): string => {
  const rows = figures.map((figure) => [
    `${figure.scenario}: ${figure.name}`,
    figure.size === undefined ? '' : whole(figure.size),
    shown(figure.value, figure.unit),
    figure.range ? `${figure.range.map((value) => shown(value, figure.unit, false)).join(' to ')}` : '',
    figure.baseline ? `${shown(figure.baseline.value, figure.unit)} (${figure.baseline.name})` : '',
    figure.ratio === undefined ? '' : figure.ratio.toFixed(2),
    figure.target ? `${figure.target.text} ${figure.target.met ? 'met' : 'MISSED'}` : '',
  ]);
  const widths = HEADER.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const notes = figures.flatMap(({ scenario, name, size, note }) =>
    note === undefined ? [] : [`- ${scenario}: ${name}${size === undefined ? '' : ` (${whole(size)})`}: ${note}`],
  );
  return [
    `${mode} run, ${Math.round(seconds)} s; ${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system};`,
    `Node ${machine.node}, Valkey ${machine.valkey}, commit ${machine.commit}, load before the run ${machine.load}`,
    '',
    line(HEADER),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    ...(notes.length > 0 ? ['', ...notes] : []),
    ...skipped.map(({ scenario, reason }) => `\n${scenario} did not run: ${reason}`),
  ].join('\n');
};

const whole = (value: number): string => Math.round(value).toLocaleString('en-GB');

const shown = (value: number, unit: Figure['unit'], named = true): string => {
  const suffix = named ? ` ${unit === 'per s' ? '/s' : unit === 'bytes' ? 'B' : unit}` : '';
  if (unit === 'share') return value.toFixed(3);
  if (value >= 100) return whole(value) + suffix;
  return `${value.toFixed(value >= 10 ? 1 : 2)}${suffix}`;
};
