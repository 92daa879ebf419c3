// Imported where zod/mini reads what people write or nodes say: by itself it says no more than that a value is wrong.
import {config} from 'zod/mini';
import en from 'zod/v4/locales/en.js';

// Compiling a parser for each schema pays for itself after many documents only; a run reads a few.
config({...en(), jitless: true});
