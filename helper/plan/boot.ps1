# Repair at boot: nothing if the node recovers by itself, otherwise the steps that were approved when the boot plan was stored.

function Invoke-BootPlan {
    param([Parameter(Mandatory = $true)][string]$Hash, [Parameter(Mandatory = $true)][string]$ScriptPath)
    # Outside of the try block: the result would be written below the same folder.
    Assert-BootFolder
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
        # The previous boot may have been interrupted in the middle of its plan.
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

# Whether all conditions were met at one time while the node could recover by itself. A condition that cannot be read is Unknown,
# not unmet: HNS and Hyper-V start slowly, and get the same time again.
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
    if ($text -isnot [string] -or $hash -isnot [string]) { throw (New-HelperError -Kind BadRequest -Message "'plan' and 'hash' must be strings.") }
    $boot = ConvertFrom-BootText -Text $text -Hash $hash
    Assert-OwnNode -Node (Get-Field -InputObject $boot -Name node)
    $requester = Get-Requester -Request $Request
    Save-BootPlan -Text $text -Hash $hash -ScriptPath $ScriptPath
    Write-AuditEntry -Name 'boot.set' -Fields ([ordered]@{ user = $requester.user; context = $requester.context; node = [string]$boot.node; hash = $hash })
    Write-BootStatus -Writer $Writer
}

function Invoke-BootStatusRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    Write-BootStatus -Writer $Writer
}

function Invoke-BootRemoveRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    $requester = Get-Requester -Request $Request
    $before = Get-BootStatus
    Remove-BootPlan
    if ($before.set) { Write-AuditEntry -Name 'boot.remove' -Fields ([ordered]@{ user = $requester.user; context = $requester.context; hash = $before.hash }) }
    Write-BootStatus -Writer $Writer
}
