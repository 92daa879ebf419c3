declare module '*.yaml' {
  const text: string;
  export default text;
}

declare module 'virtual:helper.ps1' {
  const script: string;
  export default script;
}
