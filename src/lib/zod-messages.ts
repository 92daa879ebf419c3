// Import this wherever zod/mini parses user input or node data: without it, error messages only say "invalid input".
import {config} from 'zod/mini';
import en from 'zod/v4/locales/en.js';

// Compiling a parser per schema pays off only after many documents; a run reads a few.
config({...en(), jitless: true});
