import script from 'virtual:helper.ps1';

/** The helper for the node, as one PowerShell script. */
export const helperScript = script;

/** What a helper must say that it runs: the SHA-256 of the script's bytes, in hexadecimal. */
export {default as scriptHash} from 'virtual:helper.sha256';
