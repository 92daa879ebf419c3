import {CommandHelp} from '@oclif/core/help';

interface Section {
  readonly header: string;
}

const first = ['DESCRIPTION', 'EXAMPLES'];

/** Help as kubectl has it: what the command does and examples of it, then usage and flags. */
export function putExamplesFirst(): void {
  const own = CommandHelp.prototype as unknown as {sections(): Section[]};
  const {sections} = own;
  own.sections = function (this: unknown) {
    const all = sections.call(this as never);
    const leading = first.flatMap(header => all.filter(section => section.header === header));
    return [...leading, ...all.filter(section => !leading.includes(section))];
  };
}
