import { type Command } from '../../../apps/standalone/commands/command';
import { type KeptNames } from './kept-names';

type Help = Pick<Command, 'name' | 'synopsis' | 'help'>;

/** The names, options and exit codes of commands, as `--help` says. */
export function describeCommands(commands: readonly Help[]): KeptNames {
  const helps = commands.map(({ name, synopsis, help }) => ({
    name,
    synopsis,
    text: help.split('Environment variables:')[0],
  }));
  const find = (pattern: RegExp, where: (help: (typeof helps)[number]) => string) =>
    helps.flatMap((help) => unique(where(help).match(pattern) ?? []).map((found) => `${help.name} ${found}`));
  return {
    command: helps.map(({ name }) => name),
    action: find(/(?<=^ {2})[a-z][a-z-]*/gm, ({ text }) => text),
    option: find(/(?<![\w-])--[a-z][a-z0-9-]*/g, ({ synopsis, text }) => `${synopsis} ${text}`),
    'exit code': find(/\b\d(?= if )/g, ({ text }) => text.split('Exit code: ')[1] ?? ''),
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
