import type {Check} from '../../model/check.js';
import {bootChecks} from './boot.js';
import {podPortChecks} from './pod-ports.js';

export const antreaChecks: readonly Check[] = [...bootChecks, ...podPortChecks];
