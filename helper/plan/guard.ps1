# The guard: a separate task, registered before the first step that may cut off the node. It survives the process that runs the
# plan, whether that is killed, times out, crashes, or ends with a reboot.

function Get-GuardTaskName {
    param([Parameter(Mandatory = $true)][string]$Id)
    "kubectl-win-guard-$(Get-PlanId -Id $Id)"
}

# It runs until it succeeds: no time limit, at every start of Windows and every two minutes.
function Register-Guard {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][psobject]$Run)
    $id = $Run.Journal.Id
    $name = Get-GuardTaskName -Id $id
    if (-not $PSCmdlet.ShouldProcess($name, 'Register')) { return }
    $splatTask = @{
        Name         = $name
        Script       = Join-Path -Path $Run.Folder -ChildPath 'helper.ps1'
        Argument     = "-Guard $id -PlanHash $($Run.Hash)"
        Description  = 'Restores the network of this node if a plan of kubectl win is interrupted, and removes itself'
        AtStartup    = $true
        EveryMinutes = 2
        HourLimit    = 0
    }
    Register-HelperTask @splatTask
    if (-not (Test-HelperTask -Name $name)) { throw (New-HelperError -Kind Failed -Message "Task $name was registered, but does not exist.") }
}

# A guard that cannot be removed now removes itself when it next starts.
function Unregister-Guard {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string]$Id)
    if (-not $PSCmdlet.ShouldProcess($Id, 'Unregister the guard')) { return }
    try { Unregister-HelperTask -Name (Get-GuardTaskName -Id $Id) } catch { return }
}

# The task itself. It does nothing while the process of the plan exists, which holds the lock.
function Invoke-Guard {
    param([Parameter(Mandatory = $true)][string]$Id, [Parameter(Mandatory = $true)][string]$Hash, [Parameter(Mandatory = $true)][string]$ScriptPath)
    Assert-PlanFolder -Id $Id
    $lock = Wait-PlanLock -Id $Id
    if ($null -eq $lock) { return }
    # Another plan runs on this node, and has its own guard.
    $node = Wait-NodeLock -Seconds 20
    if ($null -eq $node) { return }
    $run = Open-PlanRun -Id $Id -Hash $Hash -ScriptPath $ScriptPath -MayFail
    if (@('succeeded', 'rolledBack') -notcontains (Get-PlanOutcome -Entries $run.Journal.Entries.ToArray())) { Restore-Node -Run $run }
    Unregister-Guard -Id $Id
    # A plan that was killed could not remove its own task.
    Unregister-HelperTask -Name (Get-PlanTaskName -Id $Id)
    $run.Journal.Stream.Dispose()
    $lock.Dispose()
    $node.Dispose()
}

# Repeats with growing pauses until the node is reachable. A reachable node is left as it is, for the operator to decide.
# All times derive from the time limit of the plan: with the usual 300 s the guard undoes the plan after 60 s, or after 15 minutes
# if only the API server does not answer, and pauses for 30 s at first and 10 minutes at most.
function Restore-Node {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][psobject]$Run)
    $within = [int]$Run.DeadMan.withinSeconds
    $pause = $within / 10
    for ($attempt = 1; $true; $attempt++) {
        $gap = Wait-NodeReach -Run $Run -Seconds ($within / 5) -ApiSeconds (3 * $within)
        if ($gap.Missing -eq '') { break }
        Write-Journal -Journal $Run.Journal -Name 'guard.begin' -Fields ([ordered]@{ attempt = $attempt; message = $gap.Message })
        Write-Audit -Run $Run -Name 'guard' -Fields ([ordered]@{ message = $gap.Message })
        if ($PSCmdlet.ShouldProcess($Run.Journal.Id, 'Restore the node network')) {
            $end = Undo-Plan -Run $Run -Reason "The guard found the node cut off: $($gap.Message)"
            Write-Journal -Journal $Run.Journal -Name 'plan.end' -Fields $end
            Write-Audit -Run $Run -Name 'plan.end' -Fields $end
            if ($end.outcome -eq 'rolledBack') { return }
        }
        Start-Sleep -Seconds $pause
        $pause = [math]::Min(2 * $pause, 2 * $within)
    }
    Write-Journal -Journal $Run.Journal -Name 'guard.end' -Fields ([ordered]@{ message = 'The node is reachable.' })
    # The undo was complete before, and the node needed more time.
    if ((Get-PlanOutcome -Entries $Run.Journal.Entries.ToArray()) -eq 'rollbackFailed' -and (Test-UndoDone -Run $Run)) {
        Write-Journal -Journal $Run.Journal -Name 'plan.end' -Fields ([ordered]@{ outcome = 'rolledBack'; message = 'The guard found the node reachable again.' })
    }
}
