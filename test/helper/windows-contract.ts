import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {Language, type Node, Parser} from 'web-tree-sitter';

/** What Windows has, from the published definitions: see src/sim/windows/contract. */
export interface Contract {
  classes: Map<string, WindowsClass>;
  cmdlets: Map<string, WindowsCmdlet>;
  commonParameters: readonly string[];
}

interface WindowsClass {
  namespace: string;
  /** Names in lower case, because PowerShell is case-insensitive. */
  properties: Map<string, Property>;
  methods: Map<string, string[]>;
}

interface Property {
  type: string;
  values: Map<string, string>;
}

interface WindowsCmdlet {
  parameters: Map<string, readonly string[]>;
}

type Json = Record<string, unknown>;
const read = (name: string): Json =>
  JSON.parse(readFileSync(new URL(`../../src/sim/windows/contract/${name}.json`, import.meta.url), 'utf8'));

/** Releases that the helper runs on; 5.1 is Windows PowerShell itself. */
const supported = ['2019', '2022', '2025'];

export function readContract(): Contract {
  const {namespaces} = read('cim') as {namespaces: Record<string, Record<string, Json>>};
  const classes = new Map<string, WindowsClass>();
  for (const [namespace, all] of Object.entries(namespaces)) {
    for (const name of Object.keys(all)) classes.set(name.toLowerCase(), classOf(namespace, all, name));
  }
  for (const [kind, properties] of Object.entries(hnsClasses())) {
    classes.set(kind, {namespace: 'hns', properties, methods: new Map()});
  }
  const {cmdlets, commonParameters} = read('cmdlets') as {cmdlets: Record<string, Json>; commonParameters: string[]};
  return {
    classes,
    cmdlets: new Map(Object.entries(cmdlets).map(([name, value]) => [name.toLowerCase(), cmdletOf(value)])),
    commonParameters: commonParameters.map(name => name.toLowerCase()),
  };
}

function classOf(namespace: string, all: Record<string, Json>, name: string): WindowsClass {
  const {super: base, properties = {}, enums = {}, methods = {}} = all[name] ?? {};
  const inherited = typeof base === 'string' && all[base] ? classOf(namespace, all, base) : undefined;
  const own = Object.entries(properties as Json).map(([key, value]): [string, Property] => [
    key.toLowerCase(),
    propertyOf(value),
  ]);
  const known = new Map([...(inherited?.properties ?? []), ...own]);
  for (const [key, values] of Object.entries(enums as Json)) {
    const property = known.get(key.toLowerCase());
    if (property) known.set(key.toLowerCase(), {...property, values: new Map(Object.entries(values as Json) as [])});
  }
  const called = Object.entries(methods as Record<string, {in?: Json}>).map(([key, method]): [string, string[]] => [
    key.toLowerCase(),
    Object.keys(method.in ?? {}).map(argument => argument.toLowerCase()),
  ]);
  return {namespace, properties: known, methods: new Map([...(inherited?.methods ?? []), ...called])};
}

function propertyOf(value: unknown): Property {
  if (typeof value === 'string') return {type: value, values: new Map()};
  const {type = '', enum: values = {}} = value as {type?: string; enum?: Record<string, string>};
  return {type, values: new Map(Object.entries(values))};
}

/** The fields that HNSCall returns, flattened: the definitions of hcsshim, and additional fields seen in practice. */
function hnsClasses(): Record<string, Map<string, Property>> {
  const {v1, observed} = read('hns') as {v1: {structs: Record<string, {fields: Json}>}; observed: Record<string, Json>};
  const of = (struct: string, seen: string) => {
    const names = [...Object.keys(v1.structs[struct]?.fields ?? {}), ...Object.keys(observed[seen] ?? {})];
    return new Map(names.map(name => [name.toLowerCase(), {type: 'unknown', values: new Map()}]));
  };
  return {
    'hns:networks': of('HNSNetwork', 'v1 network'),
    'hns:endpoints': of('HNSEndpoint', 'v1 endpoint'),
    'hns:policylists': of('PolicyList', 'v1 policylist'),
  };
}

function cmdletOf(value: Json): WindowsCmdlet {
  const {
    parameters = {},
    parametersOn = {},
    has = [],
  } = value as {
    parameters?: Record<string, string | {values?: string[]; aliases?: string[]}>;
    parametersOn?: Record<string, {on?: string[]} | string[]>;
    has?: string[];
  };
  const known = new Map<string, readonly string[]>(has.map(name => [name.toLowerCase(), []]));
  for (const [name, type] of Object.entries(parameters)) {
    const on = parametersOn[name];
    const releases = Array.isArray(on) ? on : on?.on;
    if (releases && !supported.every(release => releases.includes(release))) continue;
    known.set(name.toLowerCase(), typeof type === 'string' ? [] : (type.values ?? []));
  }
  return {parameters: known};
}

export interface Use {
  line: number;
  /** The position of the name in the text. */
  index: number;
  name: string;
  /** What is wrong with it; undefined: nothing. */
  fault?: string;
}

let parser: Parser | undefined;

async function parse(text: string): Promise<Node> {
  if (!parser) {
    await Parser.init();
    parser = new Parser();
    const grammar = createRequire(import.meta.url).resolve('tree-sitter-powershell/tree-sitter-powershell.wasm');
    parser.setLanguage(await Language.load(grammar));
  }
  const tree = parser.parse(text);
  if (tree === null) throw new Error('the grammar gave no tree');
  return tree.rootNode;
}

const inside = (node: Node): Node[] => node.namedChildren.filter(child => child !== null);
const within = (node: Node, ...types: string[]): Node[] =>
  types.flatMap(type => node.descendantsOfType(type)).filter(found => found !== null);
/** The grammar wraps an expression once per operator precedence. */
function bare(node: Node): Node {
  const [only, ...others] = inside(node);
  return only && others.length === 0 && only.text === node.text ? bare(only) : node;
}
const nameOf = (variable: Node): string => variable.text.replace(/^\$/, '').toLowerCase();
const word = (node: Node): string => node.text.replace(/^(['"])(.*)\1$/s, '$2');
const isWord = (node: Node): boolean => /^(['"]?)[\w/\\.-]+\1$/.test(node.text);

interface Call {
  name: string;
  node: Node;
  given: {parameter: string; at: Node; value: Node | undefined}[];
}

function callOf(command: Node): Call | undefined {
  const name = command.childForFieldName('command_name');
  if (!name) return undefined;
  const elements = within(command, 'command_elements')[0];
  const given: Call['given'] = [];
  for (const element of elements ? inside(elements) : []) {
    if (element.type === 'command_argument_sep') continue;
    if (element.type === 'command_parameter') {
      given.push({parameter: element.text.replace(/^-|:$/g, '').toLowerCase(), at: element, value: undefined});
    } else if (/^@\w/.test(element.text)) {
      given.push({parameter: '@', at: element, value: element});
    } else {
      const last = given.at(-1);
      if (last && last.value === undefined && last.parameter !== '@') last.value = element;
    }
  }
  return {name: name.text, node: command, given};
}

const argumentOf = (call: Call, parameter: string): Node | undefined =>
  call.given.find(given => given.parameter === parameter.toLowerCase())?.value;

/** Follows instances of Windows classes through a script, and checks each access against the contract. */
class Reader {
  readonly uses: Use[] = [];
  /** Which numbers become which names: the kind of ConvertTo-EnumName, and the property that it is used for. */
  readonly enumerations: {kind: string; className: string; property: string}[] = [];
  readonly #contract: Contract;
  readonly #functions = new Map<string, Node>();
  /** Classes that functions return, and classes of their parameters. */
  readonly #results = new Map<string, Set<string>>();
  readonly #parameters = new Map<string, Map<string, Set<string>>>();
  #record = false;

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  read(root: Node): void {
    for (const node of within(root, 'function_statement')) {
      const name = within(node, 'function_name')[0];
      if (name) this.#functions.set(name.text.toLowerCase(), node);
    }
    // Results and parameters of functions become known as their callers are read: three rounds are enough.
    for (const round of [1, 2, 3, 4]) {
      this.#record = round === 4;
      for (const [name, node] of this.#functions) this.#readFunction(name, node);
    }
    for (const command of within(root, 'command')) this.#checkCall(command);
  }

  #readFunction(name: string, node: Node): void {
    const scope = new Map<string, Set<string>>();
    for (const [parameter, classes] of this.#parameters.get(name) ?? []) scope.set(parameter, classes);
    const blocks = within(node, 'script_block_body');
    const body = blocks[0] ?? node;
    const given = this.#walk(body, scope);
    const known = this.#results.get(name) ?? new Set<string>();
    for (const each of given) known.add(each);
    this.#results.set(name, known);
  }

  /** Reads a part of the script, and returns the classes of what it may write to the pipeline. */
  #walk(node: Node, scope: Map<string, Set<string>>): Set<string> {
    const given = new Set<string>();
    const add = (classes: Set<string>) => {
      for (const each of classes) given.add(each);
    };
    switch (node.type) {
      case 'param_block':
      case 'function_statement':
        return given;
      case 'assignment_expression': {
        const [left, , right] = inside(node);
        const target = left && bare(left);
        const classes = right ? this.#walk(right, scope) : new Set<string>();
        if (target?.type === 'variable') scope.set(nameOf(target), new Set([...classes]));
        else if (target) this.#walk(target, scope);
        return given;
      }
      case 'foreach_statement': {
        const [variable, list, ...rest] = inside(node).filter(child => child.type !== 'foreach_parameter');
        if (variable && list) scope.set(nameOf(variable), this.#walk(list, scope));
        for (const each of rest) add(this.#walk(each, scope));
        return given;
      }
      case 'pipeline_chain':
        return this.#walkPipeline(node, scope);
      case 'command':
        return this.#walkCommand(node, scope, new Set());
      case 'member_access': {
        const [object, member] = inside(node);
        if (!object || !member) return given;
        const classes = this.#walk(object, scope);
        this.#noteProperty(classes, member, member.text);
        return given;
      }
      case 'element_access': {
        const [object, ...rest] = inside(node);
        for (const each of rest) this.#walk(each, scope);
        return object ? this.#walk(object, scope) : given;
      }
      case 'variable':
        return scope.get(nameOf(node)) ?? given;
      case 'comparison_expression': {
        const [left, operator, right] = inside(node);
        if (!operator) break;
        for (const each of [left, right]) if (each) this.#walk(each, scope);
        if (left && right) this.#noteNumber(left, right, scope);
        return given;
      }
      // Results of methods and strings are not Windows objects.
      case 'invokation_expression':
      case 'expandable_string_literal':
      case 'cast_expression':
      case 'hash_literal_expression':
        for (const each of inside(node)) this.#walk(each, scope);
        return given;
    }
    for (const each of inside(node)) add(this.#walk(each, scope));
    return given;
  }

  #walkPipeline(node: Node, scope: Map<string, Set<string>>): Set<string> {
    let flowing = new Set<string>();
    for (const part of inside(node)) {
      flowing = part.type === 'command' ? this.#walkCommand(part, scope, flowing) : this.#walk(part, scope);
    }
    return flowing;
  }

  #walkCommand(node: Node, scope: Map<string, Set<string>>, flowing: Set<string>): Set<string> {
    const call = callOf(node);
    // In the blocks of a pipeline $_ is the current object.
    const inner = flowing.size > 0 ? new Map([...scope, ['_', flowing]]) : scope;
    const elements = within(node, 'command_elements')[0];
    let written = new Set<string>();
    for (const element of elements ? inside(elements) : [])
      written = new Set([...written, ...this.#walk(element, inner)]);
    if (!call) return new Set();
    const name = call.name.toLowerCase();
    const className = argumentOf(call, 'ClassName');
    switch (name) {
      case 'get-ciminstance':
      case 'get-hyperv':
        return className && isWord(className) ? new Set([word(className).toLowerCase()]) : new Set();
      case 'get-hnsobject': {
        const kind = argumentOf(call, 'Kind');
        return kind && isWord(kind) ? new Set([`hns:${word(kind).toLowerCase()}`]) : new Set();
      }
      case 'get-scheduledtask':
        return new Set(['msft_scheduledtask']);
      case 'get-scheduledtaskinfo':
        return new Set(['msft_taskdynamicinfo']);
      case 'where-object':
      case 'sort-object':
        return flowing;
      case 'foreach-object':
        return new Set();
      case 'select-object': {
        const selected = argumentOf(call, 'Property');
        if (!selected) return flowing;
        for (const text of within(selected, 'string_literal')) {
          if (hasAncestor(text, 'hash_literal_expression', selected)) continue;
          this.#noteProperty(flowing, text, word(text));
        }
        return new Set();
      }
      case 'get-field': {
        const object = argumentOf(call, 'InputObject');
        const property = argumentOf(call, 'Name');
        if (object && property && isWord(property))
          this.#noteProperty(this.#walk(object, inner), property, word(property));
        return new Set();
      }
      case 'select-field': {
        const object = argumentOf(call, 'InputObject');
        const names = argumentOf(call, 'Names');
        const classes = object ? this.#walk(object, inner) : new Set<string>();
        for (const text of names ? within(names, 'string_literal') : []) this.#noteProperty(classes, text, word(text));
        return classes;
      }
      case 'convertto-enumname': {
        const kind = argumentOf(call, 'Kind');
        const value = argumentOf(call, 'Value');
        const access = value && within(value, 'member_access')[0];
        const [object, member] = access ? inside(access) : [];
        if (kind && object && member && this.#record) {
          for (const each of this.#walk(object, inner)) {
            this.enumerations.push({kind: word(kind), className: each, property: member.text});
          }
        }
        return new Set();
      }
      case 'invoke-cimmethod': {
        const object = argumentOf(call, 'InputObject');
        if (object) this.#noteMethod(this.#walk(object, inner), call);
        return new Set();
      }
    }
    if (!this.#functions.has(name)) return new Set();
    for (const {parameter, value} of call.given) {
      if (!value || parameter === '@') continue;
      const classes = this.#walk(value, inner);
      if (classes.size === 0) continue;
      const known = this.#parameters.get(name) ?? new Map<string, Set<string>>();
      known.set(parameter, new Set([...(known.get(parameter) ?? []), ...classes]));
      this.#parameters.set(name, known);
    }
    return this.#results.get(name) ?? new Set();
  }

  #note(at: Node, name: string, fault?: string): void {
    if (!this.#record) return;
    const index = at.startIndex + (at.text.startsWith("'") || at.text.startsWith('"') ? 1 : 0);
    if (this.uses.some(use => use.index === index && use.name === name)) return;
    this.uses.push({line: at.startPosition.row + 1, index, name, ...(fault !== undefined && {fault})});
  }

  /** A property must belong to a class of the object; `*` and members of every .NET object are not names. */
  #noteProperty(classes: Set<string>, at: Node, name: string): void {
    if (classes.size === 0 || ['*', 'psobject', 'count', 'length', 'cimclassname'].includes(name.toLowerCase())) return;
    const found = [...classes].some(each => this.#contract.classes.get(each)?.properties.has(name.toLowerCase()));
    this.#note(
      at,
      `${[...classes].join('|')}.${name}`,
      found ? undefined : `no class has ${name}: ${[...classes].join(', ')}`,
    );
  }

  /** `[int]$_.EnabledState -eq 2`: the number must be a value of the property. */
  #noteNumber(left: Node, right: Node, scope: Map<string, Set<string>>): void {
    const number = bare(right);
    const [access, second] = within(left, 'member_access');
    if (number.type !== 'integer_literal' && !/^\d+$/.test(number.text)) return;
    const [object, member] = access && !second ? inside(access) : [];
    if (!object || !member) return;
    for (const each of this.#walk(object, scope)) {
      const values = this.#contract.classes.get(each)?.properties.get(member.text.toLowerCase())?.values;
      if (!values || values.size === 0) continue;
      const fault = values.has(number.text) ? undefined : `${each}.${member.text} is never ${number.text}`;
      this.#note(number, `${each}.${member.text} = ${number.text}`, fault);
    }
  }

  #noteMethod(classes: Set<string>, call: Call): void {
    const method = argumentOf(call, 'MethodName');
    if (!method || classes.size === 0) return;
    const names = method.text.startsWith('$') ? this.#textsOf(method, call.node) : [word(method)];
    for (const each of classes) {
      for (const name of names) {
        const known = this.#contract.classes.get(each)?.methods.get(name.toLowerCase());
        this.#note(method, `${each}.${name}()`, known ? undefined : `${each} has no method ${name}`);
        const table = argumentOf(call, 'Arguments');
        for (const key of table ? within(table, 'key_expression') : []) {
          const fault = known?.includes(key.text.toLowerCase()) ? undefined : `${name} takes no ${key.text}`;
          this.#note(key, `${name}(${key.text})`, fault);
        }
      }
    }
  }

  /** The strings that a variable is set to in the function around a node. */
  #textsOf(variable: Node, at: Node): string[] {
    let around: Node | null = at;
    while (around && around.type !== 'function_statement') around = around.parent;
    const set = around ? within(around, 'assignment_expression') : [];
    return set.flatMap(assignment => {
      const [left, , right] = inside(assignment);
      return left?.text === variable.text && right && isWord(right) ? [word(right)] : [];
    });
  }

  /** Cmdlets and their parameters; PowerShell itself checks the functions of the script. */
  #checkCall(command: Node): void {
    const call = callOf(command);
    if (call?.name === 'Get-HyperV') this.#checkClass(call, 'root/virtualization/v2');
    if (!call || this.#functions.has(call.name.toLowerCase()) || !/^[A-Z][a-z]+-[A-Z]/i.test(call.name)) return;
    const at = command.childForFieldName('command_name');
    const cmdlet = this.#contract.cmdlets.get(call.name.toLowerCase());
    if (at) this.#note(at, call.name, cmdlet ? undefined : `Windows has no ${call.name}`);
    if (!cmdlet) return;
    const check = (node: Node, name: string, value?: Node) => {
      const key = name.toLowerCase();
      const values = cmdlet.parameters.get(key);
      const known = values !== undefined || this.#contract.commonParameters.includes(key);
      this.#note(node, `${call.name} -${name}`, known ? undefined : `${call.name} has no parameter ${name}`);
      if (!values || values.length === 0 || !value || !isWord(value)) return;
      const allowed = values.some(each => each.toLowerCase() === word(value).toLowerCase());
      this.#note(
        value,
        `${call.name} -${name} ${word(value)}`,
        allowed ? undefined : `${call.name} -${name} is never ${word(value)}`,
      );
    };
    for (const {parameter, at: node, value} of call.given) {
      if (parameter !== '@') check(node, node.text.replace(/^-|:$/g, ''), value && bare(value));
      else for (const {key, text, value: set} of this.#splatted(node)) check(key, text, set);
    }
    const namespace = argumentOf(call, 'Namespace');
    if (call.name.toLowerCase() === 'get-ciminstance')
      this.#checkClass(call, namespace ? word(namespace) : 'root/cimv2');
  }

  /** A class exists in only one namespace. */
  #checkClass(call: Call, wanted: string): void {
    const className = argumentOf(call, 'ClassName');
    if (!className || !isWord(className)) return;
    const known = this.#contract.classes.get(word(className).toLowerCase());
    const same = known?.namespace.toLowerCase() === wanted.replaceAll('\\', '/').toLowerCase();
    this.#note(className, word(className), same ? undefined : `${wanted} has no class ${word(className)}`);
  }

  /** The keys of the splatted table: where it is created, and where one is added. */
  #splatted(splat: Node): {key: Node; text: string; value: Node | undefined}[] {
    const name = splat.text.slice(1).toLowerCase();
    let around: Node | null = splat;
    while (around && around.type !== 'function_statement') around = around.parent;
    const found: {key: Node; text: string; value: Node | undefined}[] = [];
    for (const assignment of around ? within(around, 'assignment_expression') : []) {
      const [left, , right] = inside(assignment);
      if (!left || !right) continue;
      const target = bare(left);
      const table = within(right, 'hash_literal_expression')[0];
      if (target.type === 'variable' && nameOf(target) === name && table && bare(right).text === table.text) {
        for (const entry of within(table, 'hash_entry')) {
          const [key, value] = inside(entry);
          if (key && enclosing(entry, 'hash_literal_expression')?.startIndex === table.startIndex) {
            found.push({key, text: word(key), value: value && bare(value)});
          }
        }
      }
      const added = new RegExp(`^\\$${name}(?:\\.(\\w+)|\\['(\\w+)'\\])$`, 'i').exec(left.text);
      if (added) found.push({key: left, text: added[1] ?? added[2] ?? '', value: bare(right)});
    }
    return found;
  }
}

function enclosing(node: Node, type: string): Node | null {
  let around = node.parent;
  while (around && around.type !== type) around = around.parent;
  return around;
}

function hasAncestor(node: Node, type: string, end: Node): boolean {
  for (let around = node.parent; around && around.startIndex >= end.startIndex; around = around.parent) {
    if (around.type === type) return true;
  }
  return false;
}

/** Everything of Windows that a script uses, checked against the contract. */
export async function usesOf(text: string, contract: Contract) {
  const reader = new Reader(contract);
  reader.read(await parse(text));
  return {uses: reader.uses, enumerations: reader.enumerations};
}

export async function faultsOf(text: string, contract: Contract): Promise<string[]> {
  const {uses} = await usesOf(text, contract);
  return uses.flatMap(({fault, line}) => (fault === undefined ? [] : [`line ${line}: ${fault}`]));
}

export {bare, inside, parse, within, word};
