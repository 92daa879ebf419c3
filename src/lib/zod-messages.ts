// Imported where the small zod reads what people write or nodes say: all it tells by itself is that a value is wrong.
import {config} from 'zod/mini';
import en from 'zod/v4/locales/en.js';

config(en());
