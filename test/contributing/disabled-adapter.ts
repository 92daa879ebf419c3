import {powerShellText} from '../../src/lib/quote.js';
import {type Check, check} from '../../src/model/check.js';
import {manual} from '../../src/model/remedies.js';
import {fail} from '../../src/model/verdict.js';

export const disabledAdapterChecks: readonly Check[] = [
  check({
    id: 'net/disabled-adapter',
    title: 'Network adapters are enabled',
    failure: 'Network adapter is disabled',
    severity: 'warning',
    // If one of these was not read, the outcome is `unknown`, with the reason.
    needs: ['netAdapters'],
    run: ({node}) =>
      node.netAdapters
        .filter(({hardware, status}) => hardware && status === 'Disabled')
        .map(({name, status}) =>
          fail(`Network adapter ${name} is disabled.`)
            .because({section: 'netAdapters', object: name, field: 'Status', seen: status, expected: 'Up'})
            .fixedBy(manual(`Enable-NetAdapter -Name ${powerShellText(name)}`)),
        ),
    explain: {
      meaning: 'A physical network adapter of the node is disabled, so nothing can use it.',
      why: 'An administrator or a script disabled it.',
      see: ['Get-NetAdapter -Physical | Select-Object Name, Status'],
      fix: ['Enable-NetAdapter -Name NAME'],
      sources: ['https://learn.microsoft.com/powershell/module/netadapter/enable-netadapter'],
    },
  }),
];
