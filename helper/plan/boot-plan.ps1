# The boot plan: validated as strictly as any plan, and made into a plan when a boot needs it. See src/model/boot-plan.ts.

function ConvertFrom-BootText {
    param([Parameter(Mandatory = $true)][string]$Text, [Parameter(Mandatory = $true)][string]$Hash)
    $boot = ConvertFrom-SealedText -Text $Text -Hash $Hash
    $known = @('apiVersion', 'kind', 'node', 'title', 'createdAt', 'createdBy', 'unless', 'settleSeconds', 'steps', 'deadMan')
    Assert-PlanField -Value $boot -Known $known -Where 'The plan'
    if ((Get-Field -InputObject $boot -Name apiVersion) -cne 'kubectl-win/v1' -or (Get-Field -InputObject $boot -Name kind) -cne 'BootPlan') {
        throw (New-HelperError -Kind BadRequest -Message 'The plan is not a kubectl-win/v1 BootPlan.')
    }
    if (-not (Test-Parameter -Value (Get-Field -InputObject $boot -Name settleSeconds) -Kind seconds)) {
        throw (New-HelperError -Kind BadRequest -Message "'settleSeconds' must be a number from 1 to 1800.")
    }
    $conditions = @(Get-Field -InputObject $boot -Name unless)
    if ($conditions.Count -lt 1 -or $conditions.Count -gt 10) { throw (New-HelperError -Kind BadRequest -Message "'unless' must have 1 to 10 conditions.") }
    foreach ($condition in $conditions) { Assert-PlanStep -Step (New-Wait -Condition $condition) -Where "'unless'" }
    if ($null -eq (Get-Field -InputObject $boot -Name deadMan)) { throw (New-HelperError -Kind BadRequest -Message 'A boot plan requires a reachability check.') }
    $steps = @(Get-Field -InputObject $boot -Name steps)
    if ($steps.Count -gt 50) { throw (New-HelperError -Kind BadRequest -Message 'A boot plan must have 1 to 50 steps.') }
    foreach ($step in $steps) { Assert-ForBoot -Step $step }
    [void](ConvertTo-BootRun -Boot $boot)
    $boot
}

# No step with an id, because ids change with a boot, and none that removes a network.
function Assert-ForBoot {
    param([AllowNull()][object]$Step)
    $do = [string](Get-Field -InputObject $Step -Name do)
    $forBoots = @('ovs.deleteBridge', 'hns.removePolicyLists', 'service.start', 'service.stop', 'service.restart', 'file.remove', 'ip.restore', 'route.add', 'wait.until')
    $ids = Get-Field -InputObject (Get-Field -InputObject $Step -Name with) -Name ids
    if ($forBoots -cnotcontains $do -or $null -ne $ids) { throw (New-HelperError -Kind BadRequest -Message "'$do' is not a step for every boot.") }
}

function New-Wait {
    param([AllowNull()][object]$Condition)
    [pscustomobject]@{ do = 'wait.until'; with = $Condition }
}

# The steps as a plan with a new id, so that each boot that needs them has its own journal.
function ConvertTo-BootRun {
    param([Parameter(Mandatory = $true)][psobject]$Boot)
    $id = [guid]::NewGuid().ToString()
    $plan = [ordered]@{ apiVersion = 'kubectl-win/v1'; kind = 'Plan'; id = $id; node = $Boot.node; title = $Boot.title }
    $plan.createdAt = Format-Time -Time ([datetime]::UtcNow)
    $plan.createdBy = 'kubectl-win at boot'
    $plan.steps = $Boot.steps
    $plan.deadMan = $Boot.deadMan
    $text = ConvertTo-JsonText -Value ([pscustomobject]$plan)
    $hash = Get-Sha256 -Bytes ([System.Text.Encoding]::UTF8.GetBytes($text))
    [void](ConvertFrom-PlanText -Text $text -Hash $hash)
    [pscustomobject]@{ Id = $id; Text = $text; Hash = $hash }
}
