// The parts of oclif that the program uses. Its index loads all of it, which takes longer than the rest of a start.
export * as Args from '@oclif/core/args';
export * as Flags from '@oclif/core/flags';
export * as Parser from '@oclif/core/parser';
