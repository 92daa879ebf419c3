# The plan for boots: checked as a whole, as strictly as any plan, and turned into one when a boot needs it.
# See src/repair/boot-plan.ts.

function ConvertFrom-BootText {
    param([Parameter(Mandatory = $true)][string]$Text, [Parameter(Mandatory = $true)][string]$Hash)
    $boot = ConvertFrom-SealedText -Text $Text -Hash $Hash
    $known = @('apiVersion', 'kind', 'node', 'title', 'createdAt', 'createdBy', 'unless', 'settleSeconds', 'steps', 'deadMan')
    Assert-PlanField -Value $boot -Known $known -Where 'The plan'
    if ((Get-Field -InputObject $boot -Name apiVersion) -cne 'kubectl-win/v1' -or (Get-Field -InputObject $boot -Name kind) -cne 'BootPlan') {
        throw (New-HelperError -Kind BadRequest -Message 'The plan is not a kubectl-win/v1 BootPlan.')
    }
    if (-not (Test-Parameter -Value (Get-Field -InputObject $boot -Name settleSeconds) -Kind seconds)) {
        throw (New-HelperError -Kind BadRequest -Message "'settleSeconds' is no time.")
    }
    $conditions = @(Get-Field -InputObject $boot -Name unless)
    if ($conditions.Count -lt 1 -or $conditions.Count -gt 10) { throw (New-HelperError -Kind BadRequest -Message "'unless' has between 1 and 10 conditions.") }
    foreach ($condition in $conditions) { Assert-PlanStep -Step (New-Wait -Condition $condition) -Where "'unless'" }
    if ($null -eq (Get-Field -InputObject $boot -Name deadMan)) { throw (New-HelperError -Kind BadRequest -Message 'A plan for boots needs a dead-man check.') }
    foreach ($step in @(Get-Field -InputObject $boot -Name steps)) { Assert-ForBoot -Step $step }
    [void](ConvertTo-BootRun -Boot $boot)
    $boot
}

# Nothing with an id that a boot changes, nothing that takes a network down.
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

# The steps as a plan of their own, with an id of its own: each boot that needs them leaves a journal of its own.
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
