import * as Args from '@oclif/core/args';
import type {Answer} from '../cli/answer.js';
import {WinCommand} from '../cli/command.js';
import {offlineExitCodes} from '../cli/exit-codes-and-roles.js';
import {generalFlags} from '../cli/flags.js';

export default class Schema extends WinCommand {
  static override summary = 'Print the JSON Schema of a report, a snapshot or a plan';
  static override description =
    `The schemas are generated from those that the program itself uses. See docs/formats.md for compatibility promises.`;
  static override exitCodes = offlineExitCodes;
  static override examples = [
    {description: 'The schema of "doctor -o json"', command: 'kubectl win schema report'},
    {description: 'The schema of "collect"', command: 'kubectl win schema snapshot > snapshot.schema.json'},
  ];
  static override args = {
    schema: Args.string({
      description: 'report, snapshot or plan',
      required: true,
      options: ['report', 'snapshot', 'plan'],
    }),
  };
  static override flags = generalFlags;

  async run(): Promise<Answer> {
    const {args} = await this.parse(Schema);
    const {schemaNames, publishedSchema} = await import('../services/schema.js');
    const name = schemaNames.find(one => one === args.schema) ?? 'report';
    const result = publishedSchema(name);
    return {result, view: {text: () => `${JSON.stringify(result, null, 2)}\n`}};
  }
}
