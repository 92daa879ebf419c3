# Scheduled tasks. Starting one starts a real detached process with the same stand-ins.

function Get-ScheduledTask {
    [CmdletBinding()]
    param([string]$TaskName, [string]$TaskPath)
    if (Test-Fault $PSCmdlet) { return }
    try {
        $rows = @(Read-Section scheduledTasks | Where-Object { -not $TaskName -or $_.TaskName -eq $TaskName })
        if ($TaskName -and $rows.Count -eq 0) { Write-NoTask -Cmdlet $PSCmdlet -TaskName $TaskName }
        foreach ($row in $rows) {
            $state = ConvertTo-Number $row.State @{ Unknown = 0; Disabled = 1; Queued = 2; Ready = 3; Running = 4 }
            New-Instance MSFT_ScheduledTask @{ TaskName = $row.TaskName; TaskPath = $(if ($row.TaskPath) { $row.TaskPath } else { '\' }); State = $state }
        }
    } catch {
        $PSCmdlet.WriteError($_)
    }
}

function Get-ScheduledTaskInfo {
    [CmdletBinding()]
    param([string]$TaskName, [string]$TaskPath)
    if (Test-Fault $PSCmdlet) { return }
    $rows = @(Get-Rows (Read-State) scheduledTasks | Where-Object { $_.TaskName -eq $TaskName })
    # A task may be removed or damaged after it was listed.
    if ($rows.Count -eq 0 -or $rows[0].Broken) { Write-NoTask -Cmdlet $PSCmdlet -TaskName $TaskName; return }
    foreach ($row in $rows) { New-Instance MSFT_TaskDynamicInfo @{ TaskName = $row.TaskName; LastRunTime = ConvertTo-Time $row.LastRunTime; LastTaskResult = $row.LastTaskResult } }
}

function Write-NoTask {
    param($Cmdlet, [string]$TaskName)
    Write-Failure -Cmdlet $Cmdlet -Message "No MSFT_ScheduledTask objects found with property 'TaskName' equal to '$TaskName'." -Code NotFound -Category ObjectNotFound
}

function New-ScheduledTaskAction {
    [CmdletBinding()]
    param([string]$Execute, [string]$Argument)
    [pscustomobject]@{ Execute = $Execute; Argument = $Argument }
}

function New-ScheduledTaskPrincipal {
    [CmdletBinding()]
    param([string]$UserId, [string]$LogonType, [string]$RunLevel)
    [pscustomobject]@{ UserId = $UserId; RunLevel = $RunLevel }
}

function New-ScheduledTaskSettingsSet {
    [CmdletBinding()]
    param([switch]$AllowStartIfOnBatteries, [switch]$DontStopIfGoingOnBatteries, [switch]$DontStopOnIdleEnd, [switch]$StartWhenAvailable,
        [ValidateSet('Parallel', 'Queue', 'IgnoreNew')][string]$MultipleInstances, [int]$Priority = 7, [timespan]$ExecutionTimeLimit, [switch]$Disable)
    [pscustomobject]@{
        Enabled = -not $Disable
        DisallowStartIfOnBatteries = -not $AllowStartIfOnBatteries; StopIfGoingOnBatteries = -not $DontStopIfGoingOnBatteries
        StopOnIdleEnd = -not $DontStopOnIdleEnd; StartWhenAvailable = [bool]$StartWhenAvailable
        MultipleInstances = $MultipleInstances; Priority = $Priority; ExecutionTimeLimit = [System.Xml.XmlConvert]::ToString($ExecutionTimeLimit)
    }
}

function New-ScheduledTaskTrigger {
    [CmdletBinding()]
    param([Parameter(ParameterSetName = 'Startup')][switch]$AtStartup, [Parameter(ParameterSetName = 'Once')][switch]$Once,
        [Parameter(ParameterSetName = 'Once', Mandatory = $true)][datetime]$At, [Parameter(ParameterSetName = 'Once')][timespan]$RepetitionInterval)
    if ($AtStartup) { return [pscustomobject]@{ Kind = 'Startup' } }
    [pscustomobject]@{ Kind = 'Once'; StartBoundary = $At.ToUniversalTime().ToString('s') + 'Z'; Interval = [System.Xml.XmlConvert]::ToString($RepetitionInterval) }
}

function Register-ScheduledTask {
    [CmdletBinding()]
    param([string]$TaskName, [string]$TaskPath, $Action, [object[]]$Trigger, $Principal, $Settings, [string]$Description, [switch]$Force)
    if (Test-Fault $PSCmdlet) { return }
    Edit-State {
        param($state)
        $task = [pscustomobject]@{
            TaskName = $TaskName; TaskPath = $TaskPath; State = $(if ($Settings.Enabled) { 'Ready' } else { 'Disabled' }); LastRunTime = $null; LastTaskResult = 267011; Argument = $Action.Argument; User = $Principal.UserId
            Triggers = @($Trigger | Where-Object { $_ }); Settings = $Settings
        }
        Set-Rows $state scheduledTasks (@(Get-Rows $state scheduledTasks | Where-Object { $_.TaskName -ne $TaskName }) + $task)
    }
}

function Start-ScheduledTask {
    [CmdletBinding()]
    param([string]$TaskName, [string]$TaskPath)
    if (Test-Fault $PSCmdlet) { return }
    $task = Get-Rows (Read-State) scheduledTasks | Where-Object { $_.TaskName -eq $TaskName }
    if ($null -eq $task) { Write-NoTask -Cmdlet $PSCmdlet -TaskName $TaskName; return }
    # Runs the command of the task in a session with the stand-ins.
    if ($task.Argument -notmatch '-Command "(?<command>[^"]+)"$') { throw "Task $TaskName runs no command." }
    $program = (Get-Process -Id $PID).Path
    $module = (Join-Path -Path $PSScriptRoot -ChildPath 'Windows.psm1').Replace("'", "''")
    $arguments = @('-NoProfile', '-NonInteractive', '-Command', "Import-Module -Name '$module' -Global; $(if ($env:KUBECTL_WIN_TASK_DELAY) { "Start-Sleep -Seconds $env:KUBECTL_WIN_TASK_DELAY; " })$($Matches['command'])")
    # machine.ts finds the process here.
    $log = "$env:KUBECTL_WIN_STATE.$TaskName.log"
    if ($PSVersionTable.Platform -eq 'Unix') {
        $start = Microsoft.PowerShell.Utility\New-Object System.Diagnostics.ProcessStartInfo '/bin/sh'
        foreach ($argument in @('-c', 'log=$1; shift; setsid "$@" >"$log" 2>&1 </dev/null & echo $! >"$log.pid"', 'sh', $log, $program) + $arguments) { $start.ArgumentList.Add($argument) }
        [System.Diagnostics.Process]::Start($start).WaitForExit()
    } else {
        $quoted = @($arguments | ForEach-Object { '"' + $_ + '"' })
        $process = Start-Process -FilePath $program -ArgumentList $quoted -WindowStyle Hidden -PassThru -RedirectStandardOutput $log
        [System.IO.File]::WriteAllText("$log.pid", [string]$process.Id)
    }
    Edit-State { param($state) foreach ($row in @(Get-Rows $state scheduledTasks | Where-Object { $_.TaskName -eq $TaskName })) { $row.State = 'Running' } }
}

# Kills the process.
function Stop-ScheduledTask {
    [CmdletBinding()]
    param([string]$TaskName, [string]$TaskPath)
    $note = "$env:KUBECTL_WIN_STATE.$TaskName.log.pid"
    if ([System.IO.File]::Exists($note)) { Stop-Process -Id ([int][System.IO.File]::ReadAllText($note)) -Force -ErrorAction Ignore }
    Edit-State { param($state) foreach ($row in @(Get-Rows $state scheduledTasks | Where-Object { $_.TaskName -eq $TaskName })) { $row.State = 'Ready' } }
}

# Unregistering does not stop a running process.
function Unregister-ScheduledTask {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$TaskName, [string]$TaskPath)
    if (Test-Fault $PSCmdlet) { return }
    $isMeant = { param($row) $row.TaskName -eq $TaskName -and $(if ($row.TaskPath) { $row.TaskPath } else { '\' }) -eq $TaskPath }
    if (@(Get-Rows (Read-State) scheduledTasks | Where-Object { & $isMeant $_ }).Count -eq 0) { Write-NoTask -Cmdlet $PSCmdlet -TaskName $TaskName; return }
    Edit-State { param($state) Set-Rows $state scheduledTasks @(Get-Rows $state scheduledTasks | Where-Object { -not (& $isMeant $_) }) }
}
