# Every step is one function with three phases:
#   Inspect  changes nothing, and returns whether the goal is reached (Done), why the step must not run (Blocked), and what its
#            undo needs (Saved).
#   Apply    changes the node. Afterwards Inspect must return Done: that verifies the step.
#   Undo     restores what Saved has. It may be called twice, and also if Apply never ran.

function New-Inspection {
    param(
        [Parameter(Mandatory = $true)][bool]$Done,
        [AllowNull()][AllowEmptyString()][string]$Blocked = '',
        [AllowNull()][object]$Saved = $null,
        [Parameter(Mandatory = $true)][string]$About
    )
    [pscustomobject]@{ Done = $Done; Blocked = $Blocked; Saved = $Saved; About = $About }
}

# All steps: the function of each, its parameters and their kinds (? is optional), and whether it has an undo.
function Get-StepTable {
    @{
        'ovs.deleteBridge'      = @{ Function = 'Invoke-OvsDeleteBridgeStep'; Undo = $true; With = @{ bridge = 'name' } }
        'hns.removeNetwork'     = @{ Function = 'Invoke-HnsRemoveNetworkStep'; Undo = $true; With = @{ id = 'guid'; name = 'name'; endpoints = 'guids?' } }
        'hns.createExternal'    = @{ Function = 'Invoke-HnsCreateExternalStep'; Undo = $true; With = @{ adapter = 'name' } }
        'hns.removeEndpoint'    = @{ Function = 'Invoke-HnsRemoveEndpointStep'; Undo = $true; With = @{ id = 'guid' } }
        'hns.removePolicyLists' = @{ Function = 'Invoke-HnsRemovePolicyListsStep'; Undo = $true; With = @{ ids = 'guids?' } }
        'vswitch.remove'        = @{ Function = 'Invoke-VSwitchRemoveStep'; Undo = $false; With = @{ name = 'name' } }
        'vswitch.setExtension'  = @{ Function = 'Invoke-VSwitchSetExtensionStep'; Undo = $true; With = @{ switchName = 'name'; extensionId = 'guid'; enabled = 'bool' } }
        'vnic.remove'           = @{ Function = 'Invoke-VnicRemoveStep'; Undo = $true; With = @{ switchName = 'name'; name = 'name' } }
        'adapter.setBinding'    = @{ Function = 'Invoke-AdapterSetBindingStep'; Undo = $true; With = @{ adapter = 'name'; componentId = 'component'; enabled = 'bool' } }
        'service.start'         = @{ Function = 'Invoke-ServiceStartStep'; Undo = $true; With = @{ name = 'name' } }
        'service.stop'          = @{ Function = 'Invoke-ServiceStopStep'; Undo = $true; With = @{ name = 'name' } }
        'service.restart'       = @{ Function = 'Invoke-ServiceRestartStep'; Undo = $false; With = @{ name = 'name' } }
        'file.remove'           = @{ Function = 'Invoke-FileRemoveStep'; Undo = $true; With = @{ path = 'path' } }
        'registry.removeValue'  = @{ Function = 'Invoke-RegistryRemoveValueStep'; Undo = $true; With = @{ path = 'registryPath'; name = 'name' } }
        'firewall.allow'        = @{ Function = 'Invoke-FirewallAllowStep'; Undo = $true; With = @{ name = 'name'; displayName = 'name'; protocol = 'protocol'; port = 'port' } }
        'route.add'             = @{ Function = 'Invoke-RouteAddStep'; Undo = $true; With = @{ destination = 'prefix'; nextHop = 'address'; adapter = 'name'; metric = 'metric?' } }
        'ip.renew'              = @{ Function = 'Invoke-IpRenewStep'; Undo = $false; With = @{ adapter = 'name' } }
        'ip.restore'            = @{ Function = 'Invoke-IpRestoreStep'; Undo = $false; With = @{ from = 'name'; to = 'name' } }
        'wait.until'            = @{ Function = 'Invoke-WaitUntilStep'; Undo = $false; With = @{ until = 'condition' } }
    }
}

# The conditions of wait.until, and the parameters of each.
function Get-ConditionTable {
    @{
        'service'    = @{ name = 'name'; state = 'serviceState' }
        'hnsNetwork' = @{ name = 'name'; present = 'bool' }
        'adapter'    = @{ name = 'name'; present = 'bool' }
        'address'    = @{ address = 'address' }
        'tcp'        = @{ target = 'target' }
        'extension'  = @{ switchName = 'name'; extensionId = 'guid'; enabled = 'bool' }
    }
}

# One phase of one step. Runs in a runspace. With -WhatIf, Apply and Undo change nothing.
function Invoke-Step {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][ValidateSet('Inspect', 'Apply', 'Undo')][string]$Phase,
        [Parameter(Mandatory = $true)][psobject]$Step,
        [AllowNull()][object]$Saved,
        [Parameter(Mandatory = $true)][AllowEmptyString()][string]$Folder
    )
    $entry = (Get-StepTable)[[string]$Step.do]
    if ($null -eq $entry) { throw (New-HelperError -Kind BadRequest -Message "Step '$($Step.do)' does not exist.") }
    $function = $entry.Function
    & $function -Phase $Phase -With $Step.with -Saved $Saved -Folder $Folder -WhatIf:$WhatIfPreference
}
