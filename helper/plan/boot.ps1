# Repairing at a boot: nothing, where the node comes back by itself; else the steps that a person has approved.

function Invoke-BootPlan {
    param([Parameter(Mandatory = $true)][string]$Hash, [Parameter(Mandatory = $true)][string]$ScriptPath)
    try {
        $boot = ConvertFrom-BootText -Text ([System.IO.File]::ReadAllText((Join-Path -Path (Get-BootFolder) -ChildPath 'plan.json'))) -Hash $Hash
        $before = Read-LastBoot
        $seen = Wait-BootCondition -Boot $boot -ScriptPath $ScriptPath
        if ($seen.Held) {
            Save-LastBoot -Outcome notNeeded
            return
        }
        if ($seen.Unknown -ne '') {
            Save-LastBoot -Outcome blocked -Message "Whether the boot left problems could not be determined: $($seen.Unknown)"
            return
        }
        # The power may have gone in the middle of what the boot before this one had begun.
        $begun = Get-Field -InputObject $before -Name plan
        foreach ($id in @(Get-PlanIdList)) {
            $state = (Get-PlanStatus -Id $id).state
            if ($state -eq 'interrupted' -and $id -eq $begun) {
                $hashes = @(Read-Journal -Id $id | Where-Object -FilterScript { $_.event -eq 'plan.begin' } | ForEach-Object -Process { $_.hash })
                Invoke-Plan -Id $id -Hash $hashes[0] -Mode Resume -ScriptPath $ScriptPath
                Save-LastBoot -Outcome ran -Id $id
                return
            }
            if (@('running', 'interrupted') -contains $state) {
                Save-LastBoot -Outcome blocked -Message "Plan $id is $state on this node."
                return
            }
        }
        [void]@(Remove-EndedPlan -OlderThanDays 30)
        $run = ConvertTo-BootRun -Boot $boot
        Save-Plan -Id $run.Id -Text $run.Text -ScriptPath $ScriptPath
        Save-LastBoot -Outcome ran -Id $run.Id
        Invoke-Plan -Id $run.Id -Hash $run.Hash -Mode Run -ScriptPath $ScriptPath
    } catch {
        Save-LastBoot -Outcome blocked -Message (ConvertTo-ErrorObject -ErrorRecord $_).message
    }
}

# Whether all of it held at one moment while the node had time to come back by itself. What did not answer is Unknown, not
# absent: HNS and Hyper-V may take their time this early, and get as much again.
function Wait-BootCondition {
    param([Parameter(Mandatory = $true)][psobject]$Boot, [Parameter(Mandatory = $true)][string]$ScriptPath)
    $pool = New-WorkPool -ScriptPath $ScriptPath
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    do {
        $seen = Test-BootCondition -Boot $Boot -Pool $pool
        if ($seen.Held) { return $seen }
        Start-Sleep -Seconds 2
        $limit = $Boot.settleSeconds
        if ($seen.Unknown -ne '') { $limit = 2 * $limit }
    } while ($clock.Elapsed.TotalSeconds -lt $limit)
    $seen
}

function Test-BootCondition {
    param([Parameter(Mandatory = $true)][psobject]$Boot, [Parameter(Mandatory = $true)][psobject]$Pool)
    $all = $true
    $unknown = ''
    foreach ($condition in @($Boot.unless)) {
        try {
            $answer = Receive-Checked -Pool $Pool -Function Get-ConditionState -Parameters @{ With = $condition } -TimeoutMs 30000
            if (-not $answer.Done) { $all = $false }
        } catch {
            $all = $false
            $unknown = (ConvertTo-ErrorObject -ErrorRecord $_).message
        }
    }
    [pscustomobject]@{ Held = $all; Unknown = $unknown }
}

function Write-BootStatus {
    param([Parameter(Mandatory = $true)][psobject]$Writer)
    $line = [ordered]@{ type = 'boot' }
    foreach ($property in (Get-BootStatus).PSObject.Properties) { $line[$property.Name] = $property.Value }
    Write-Message -Writer $Writer -Message $line
}

function Invoke-BootSetRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    $text = Get-Field -InputObject $Request -Name plan
    $hash = Get-Field -InputObject $Request -Name hash
    if ($text -isnot [string] -or $hash -isnot [string]) { throw (New-HelperError -Kind BadRequest -Message "'plan' and 'hash' must be texts.") }
    $boot = ConvertFrom-BootText -Text $text -Hash $hash
    Assert-OwnNode -Node (Get-Field -InputObject $boot -Name node)
    Save-BootPlan -Text $text -Hash $hash -ScriptPath $ScriptPath
    Write-BootStatus -Writer $Writer
}

function Invoke-BootStatusRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    Write-BootStatus -Writer $Writer
}

function Invoke-BootRemoveRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    Remove-BootPlan
    Write-BootStatus -Writer $Writer
}
