import * as z from 'zod/mini';
import type {NodeDump} from '../../snapshot/document.js';

/** A task registered by the helper, in the format of the Task Scheduler stand-in. */
const scheduledTask = z.object({
  TaskName: z.string(),
  State: z.optional(z.string()),
  Argument: z.optional(z.string()),
  Triggers: z._default(z.array(z.object({Kind: z.string(), Interval: z.optional(z.string())})), []),
});

export type ScheduledTask = z.infer<typeof scheduledTask>;

/** Our tasks on a node, without disabled ones. */
export function ownTasks({sections}: NodeDump): ScheduledTask[] {
  const all = Array.isArray(sections.scheduledTasks) ? sections.scheduledTasks : [];
  return all
    .map(row => scheduledTask.safeParse(row).data)
    .filter(task => task?.TaskName.startsWith('kubectl-win-') === true && task.State !== 'Disabled') as ScheduledTask[];
}

/** The repetition interval of a task. Undefined: none. */
export function everyMs({Triggers}: ScheduledTask): number | undefined {
  const [, minutes] = /^PT(\d+)M$/.exec(Triggers.find(({Kind}) => Kind === 'Once')?.Interval ?? '') ?? [];
  return minutes === undefined ? undefined : Number(minutes) * 60_000;
}

export const isForStartup = ({Triggers}: ScheduledTask): boolean => Triggers.some(({Kind}) => Kind === 'Startup');

/** The PowerShell command of a task. */
export function commandOf({TaskName, Argument = ''}: ScheduledTask): string {
  const command = /-Command "([^"]+)"$/.exec(Argument)?.[1];
  if (command === undefined) throw new Error(`task ${TaskName} runs no command`);
  return command;
}
