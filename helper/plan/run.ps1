# Runs a plan, in the process of the scheduled task: step by step, journaled, with no client connected.

function Invoke-Plan {
    param(
        [Parameter(Mandatory = $true)][string]$Id,
        [Parameter(Mandatory = $true)][string]$Hash,
        [Parameter(Mandatory = $true)][ValidateSet('Run', 'Resume', 'Rollback')][string]$Mode,
        [Parameter(Mandatory = $true)][string]$ScriptPath
    )
    Assert-PlanFolder -Id $Id
    $lock = Wait-PlanLock -Id $Id
    if ($null -eq $lock) { throw (New-HelperError -Kind Busy -Message "Plan $Id is already running.") }
    $node = Wait-NodeLock -Seconds 20
    if ($null -eq $node) { throw (New-HelperError -Kind Busy -Message 'Another plan is running on this node.') }
    $run = Open-PlanRun -Id $Id -Hash $Hash -ScriptPath $ScriptPath
    if ($Mode -ne 'Run') { $run.Requester = Read-Requester -Run $run }
    # A full disk must not keep a node that was cut off from being restored.
    $run.Journal.MayFail = Test-CutBegun -Run $run
    Write-Journal -Journal $run.Journal -Name 'plan.begin' -Fields ([ordered]@{ mode = $Mode.ToLowerInvariant(); hash = $Hash })
    Write-Audit -Run $run -Name "plan.$($Mode.ToLowerInvariant())"
    try {
        if ($Mode -eq 'Rollback') {
            # An undo may cut off the node as the step did.
            if (Test-CutBegun -Run $run) { Protect-Node -Run $run }
            $end = Undo-Plan -Run $run -Reason 'A rollback was requested.'
        } else {
            $end = Invoke-StepSequence -Run $run
        }
    } catch {
        $end = Complete-Failure -Run $run -Reason (ConvertTo-ErrorObject -ErrorRecord $_).message
    }
    $run.Journal.MayFail = $true
    Write-Journal -Journal $run.Journal -Name 'plan.end' -Fields $end
    Write-Audit -Run $run -Name 'plan.end' -Fields $end
    # With every other outcome the node is reachable, or was never cut off.
    if ($end.outcome -ne 'rollbackFailed') { Unregister-Guard -Id $Id }
    Unregister-HelperTask -Name (Get-PlanTaskName -Id $Id)
    $run.Journal.Stream.Dispose()
    $lock.Dispose()
    $node.Dispose()
}

# State of the process that runs or guards a plan.
function Open-PlanRun {
    param([Parameter(Mandatory = $true)][string]$Id, [Parameter(Mandatory = $true)][string]$Hash, [Parameter(Mandatory = $true)][string]$ScriptPath, [switch]$MayFail)
    $plan = ConvertFrom-PlanText -Text (Read-PlanText -Id $Id) -Hash $Hash
    [pscustomobject]@{
        Plan      = $plan
        Hash      = $Hash
        Steps     = @($plan.steps)
        DeadMan   = Get-Field -InputObject $plan -Name deadMan
        Folder    = Get-PlanFolder -Id $Id
        Journal   = Open-Journal -Id $Id -MayFail:$MayFail
        Pool      = New-WorkPool -ScriptPath $ScriptPath
        Guarded   = $false
        Requester = [pscustomobject]@{ user = [string](Get-Field -InputObject $plan -Name createdBy); context = [string](Get-Field -InputObject $plan -Name context) }
    }
}

# The user who resumes the plan or rolls it back, as the request stored it.
function Read-Requester {
    param([Parameter(Mandatory = $true)][psobject]$Run)
    $path = Join-Path -Path $Run.Folder -ChildPath 'requester.json'
    if (-not [System.IO.File]::Exists($path)) { return $Run.Requester }
    ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText($path))
}

# Called before the first cut, and when a plan continues after one.
function Protect-Node {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][psobject]$Run)
    if ($Run.Guarded -or -not $PSCmdlet.ShouldProcess($Run.Journal.Id, 'Guard the node')) { return }
    Register-Guard -Run $Run
    $Run.Guarded = $true
    $Run.Journal.MayFail = Test-CutBegun -Run $Run
}

function Test-CutBegun {
    param([Parameter(Mandatory = $true)][psobject]$Run)
    for ($i = 0; $i -lt $Run.Steps.Count; $i++) {
        if (-not (Get-Field -InputObject $Run.Steps[$i] -Name cuts)) { continue }
        if ($null -ne (Find-JournalEntry -Journal $Run.Journal -Names 'step.begin' -Step $i)) { return $true }
    }
    $false
}

function Invoke-StepSequence {
    param([Parameter(Mandatory = $true)][psobject]$Run)
    Save-Network -Run $Run
    if (Test-CutBegun -Run $Run) { Protect-Node -Run $Run }
    $lastCut = -1
    for ($i = 0; $i -lt $Run.Steps.Count; $i++) { if (Get-Field -InputObject $Run.Steps[$i] -Name cuts) { $lastCut = $i } }
    for ($i = 0; $i -lt $Run.Steps.Count; $i++) {
        if ($null -eq (Find-JournalEntry -Journal $Run.Journal -Names 'step.end' -Step $i)) {
            if (Get-Field -InputObject $Run.Steps[$i] -Name cuts) { Protect-Node -Run $Run }
            $failure = Invoke-PlanStep -Run $Run -Index $i
            if ($null -ne $failure) { return Complete-Failure -Run $Run -Reason "Step $i ($($Run.Steps[$i].do)) failed: $($failure.message)" }
        }
        if ($i -eq $lastCut -and -not (Test-DeadManPassed -Run $Run) -and -not (Wait-DeadMan -Run $Run)) {
            return Undo-Plan -Run $Run -Reason 'The reachability check failed.'
        }
    }
    [ordered]@{ outcome = 'succeeded' }
}

# A reachable node is left as it is, for the operator to decide; one that was cut off gets its network back.
function Complete-Failure {
    param([Parameter(Mandatory = $true)][psobject]$Run, [Parameter(Mandatory = $true)][string]$Reason)
    if ((Test-CutBegun -Run $Run) -and -not (Wait-DeadMan -Run $Run)) { return Undo-Plan -Run $Run -Reason $Reason }
    [ordered]@{ outcome = 'failed'; message = $Reason }
}

# $null if the step is done, else the error.
function Invoke-PlanStep {
    param([Parameter(Mandatory = $true)][psobject]$Run, [Parameter(Mandatory = $true)][int]$Index)
    $step = $Run.Steps[$Index]
    $fields = [ordered]@{ step = $Index; do = $step.do }
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $acted = $false
    $limitMs = 120000
    $seconds = Get-Field -InputObject $step -Name timeoutSeconds
    if ($null -ne $seconds) { $limitMs = 1000 * $seconds }
    try {
        $begun = Find-JournalEntry -Journal $Run.Journal -Names 'step.begin' -Step $Index
        $saved = Get-Field -InputObject $begun -Name saved
        $seen = Invoke-StepPhase -Run $Run -Step $step -Phase Inspect -Saved $saved -LimitMs $limitMs
        $outcome = 'done'
        if ($null -eq $begun) {
            if ($seen.Done) { $outcome = 'already' }
            if (-not $seen.Done -and $seen.Blocked -ne '') { throw (New-HelperError -Kind Blocked -Message $seen.Blocked) }
            $saved = $seen.Saved
            Write-Journal -Journal $Run.Journal -Name 'step.begin' -Fields ($fields + [ordered]@{ saved = $saved })
            # From the first cut on, a journal that cannot be written stops nothing.
            if (Get-Field -InputObject $step -Name cuts) { $Run.Journal.MayFail = $true }
        }
        if (-not $seen.Done) {
            if ($seen.Blocked -ne '') { throw (New-HelperError -Kind Blocked -Message $seen.Blocked) }
            # Before it acts: a process that is killed in the middle has changed the node too.
            $acted = $true
            Write-Audit -Run $Run -Name 'step' -Fields ($fields + [ordered]@{ with = $step.with })
            [void](Invoke-StepPhase -Run $Run -Step $step -Phase Apply -Saved $saved -LimitMs ($limitMs - $clock.ElapsedMilliseconds))
            Wait-StepDone -Run $Run -Step $step -Saved $saved -Clock $clock -LimitMs $limitMs
        }
        Write-Journal -Journal $Run.Journal -Name 'step.end' -Fields ($fields + [ordered]@{ outcome = $outcome; ms = $clock.ElapsedMilliseconds })
    } catch {
        $failure = ConvertTo-ErrorObject -ErrorRecord $_
        if ($acted) { Write-Audit -Run $Run -Name 'step.failed' -Fields ($fields + [ordered]@{ message = $failure.message }) }
        Write-Journal -Journal $Run.Journal -Name 'step.failed' -Fields ($fields + [ordered]@{ error = $failure; ms = $clock.ElapsedMilliseconds })
        $failure
    }
}

# Windows may not answer right after a change, so an error fails the step only when its time is up.
function Wait-StepDone {
    param(
        [Parameter(Mandatory = $true)][psobject]$Run,
        [Parameter(Mandatory = $true)][psobject]$Step,
        [AllowNull()][object]$Saved,
        [Parameter(Mandatory = $true)][System.Diagnostics.Stopwatch]$Clock,
        [Parameter(Mandatory = $true)][long]$LimitMs
    )
    while ($true) {
        try {
            $seen = Invoke-StepPhase -Run $Run -Step $Step -Phase Inspect -Saved $Saved -LimitMs ([math]::Max(5000, $LimitMs - $Clock.ElapsedMilliseconds))
            if ($seen.Done) { return }
            $about = $seen.About
        } catch {
            $about = (ConvertTo-ErrorObject -ErrorRecord $_).message
        }
        if ($Clock.ElapsedMilliseconds -ge $LimitMs) { throw (New-HelperError -Kind Timeout -Message "Not done after $($LimitMs / 1000) s. $about") }
        Start-Sleep -Milliseconds 500
    }
}

function Invoke-StepPhase {
    param(
        [Parameter(Mandatory = $true)][psobject]$Run,
        [Parameter(Mandatory = $true)][psobject]$Step,
        [Parameter(Mandatory = $true)][string]$Phase,
        [AllowNull()][object]$Saved,
        [long]$LimitMs = 120000
    )
    $parameters = @{ Phase = $Phase; Step = $Step; Saved = $Saved; Folder = $Run.Folder }
    Receive-Checked -Pool $Run.Pool -Function Invoke-Step -Parameters $parameters -TimeoutMs ([int][math]::Max(1000, $LimitMs))
}

# Runs a function in its own runspace, and throws its error.
function Receive-Checked {
    param(
        [Parameter(Mandatory = $true)][psobject]$Pool,
        [Parameter(Mandatory = $true)][string]$Function,
        [Parameter(Mandatory = $true)][hashtable]$Parameters,
        [Parameter(Mandatory = $true)][int]$TimeoutMs
    )
    $work = Start-Work -Pool $Pool -Function $Function -Parameters $Parameters -TimeoutMs $TimeoutMs
    $result = Wait-Work -Pool $Pool -Work $work
    if ($null -ne $result.Error) { throw (New-HelperError -Kind $result.Error.kind -Message $result.Error.message) }
    $result.Value
}

# Only once, before the first step: when a plan is resumed, the node is no longer in the state to return to.
function Save-Network {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][psobject]$Run)
    $path = Join-Path -Path $Run.Folder -ChildPath 'network.json'
    if ([System.IO.File]::Exists($path) -or -not $PSCmdlet.ShouldProcess($path, 'Save addresses and routes')) { return }
    $network = Receive-Checked -Pool $Run.Pool -Function Get-NetworkState -Parameters @{} -TimeoutMs 60000
    if ($null -ne $Run.DeadMan) {
        $reach = Receive-Checked -Pool $Run.Pool -Function Get-NodeReach -Parameters @{ DeadMan = $Run.DeadMan } -TimeoutMs 60000
        $network | Add-Member -NotePropertyName reach -NotePropertyValue $reach
    }
    $text = ConvertTo-JsonText -Value $network
    Save-File -Path $path -Bytes ([System.Text.Encoding]::UTF8.GetBytes($text))
}
