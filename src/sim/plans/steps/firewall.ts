import {at, isObject, type JsonObject, listAt} from '../../json.js';
import type {NodeState} from '../../node/state.js';
import type {StepKind} from '../step.js';

const rulesOf = (state: NodeState): JsonObject[] => listAt(state.sections.firewall, 'Rules').filter(isObject);

function setRules(state: NodeState, rules: readonly JsonObject[]): void {
  if (isObject(state.sections.firewall)) state.sections.firewall = {...state.sections.firewall, Rules: rules};
}

export const allowStep: StepKind<'firewall.allow'> = {
  atBoot: false,
  inspect({state}, {name, protocol, port}) {
    const about = `Firewall rule ${name} for ${protocol} ${port}`;
    const rule = rulesOf(state).find(({Name}) => Name === name);
    if (!rule) return {done: false, saved: {existed: false}, about: `${about} does not exist.`};
    const done =
      rule.Enabled === true &&
      rule.Direction === 'Inbound' &&
      rule.Action === 'Allow' &&
      rule.Protocol === protocol &&
      rule.LocalPort === String(port);
    const other = `A different firewall rule has the name ${name}.`;
    return {done, saved: {existed: true}, about: `${about} exists.`, ...(!done && {blocked: other})};
  },
  apply({state}, {name, displayName, protocol, port}) {
    const rule = {
      DisplayName: displayName,
      Enabled: true,
      Direction: 'Inbound',
      Action: 'Allow',
      Protocol: protocol,
      LocalPort: String(port),
      Name: name,
      PolicyStoreSourceType: 'Local',
    };
    setRules(state, [...rulesOf(state), rule]);
  },
  undo({state}, {name}, saved) {
    if (saved == null || at(saved, 'existed') === true) return;
    setRules(
      state,
      rulesOf(state).filter(({Name}) => Name !== name),
    );
  },
};
