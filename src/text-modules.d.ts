declare module '*.yaml' {
  const text: string;
  export default text;
}

declare module 'virtual:helper.ps1' {
  const script: string;
  export default script;
}

declare module 'virtual:helper.sha256' {
  const hash: string;
  export default hash;
}

declare module 'virtual:windows-stub' {
  const files: Record<string, string>;
  export default files;
}

declare module 'virtual:commands' {
  const facts: import('./cli/command-facts.js').Facts;
  export default facts;
}
