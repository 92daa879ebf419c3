// The parts of oclif that the program uses. Its index loads all of it, which takes longer than the rest of a start.
export * as Args from '@oclif/core/args';
export {Command} from '@oclif/core/command';
export {Config, Plugin} from '@oclif/core/config';
export * as Flags from '@oclif/core/flags';
export {run} from '@oclif/core/run';
