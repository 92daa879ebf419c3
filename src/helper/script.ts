import script from 'virtual:helper.ps1';

/** The node helper as one PowerShell script. */
export const helperScript = script;

/** The SHA-256 of the script in hexadecimal, which the helper must report. */
export {default as scriptHash} from 'virtual:helper.sha256';
