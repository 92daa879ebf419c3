# Work that may hang (a section, a step) runs in a runspace of its own, so that the main thread can give up on it.

# A new runspace knows nothing: it is given the functions of this script, and the modules that the caller has loaded.
function New-WorkState {
    param([Parameter(Mandatory = $true)][string]$ScriptPath)
    $state = [System.Management.Automation.Runspaces.InitialSessionState]::CreateDefault2()
    foreach ($command in @(Get-ChildItem -LiteralPath 'Function:\')) {
        if ($command.ScriptBlock.File -ne $ScriptPath) { continue }
        $entry = New-Object -TypeName System.Management.Automation.Runspaces.SessionStateFunctionEntry -ArgumentList $command.Name, $command.Definition
        $state.Commands.Add($entry)
    }
    foreach ($module in @(Get-Module)) {
        if ($module.ModuleType -eq 'Script') { $state.ImportPSModule(@($module.Path)) }
    }
    # Global in the runspace: functions of modules (every CDXML command is one) see nothing of the scope of their caller.
    $preferences = @{ ErrorActionPreference = 'Stop'; ProgressPreference = 'SilentlyContinue'; ConfirmPreference = 'None' }
    foreach ($name in $preferences.Keys) {
        $state.Variables.Remove($name, $null)
        $entry = New-Object -TypeName System.Management.Automation.Runspaces.SessionStateVariableEntry -ArgumentList $name, $preferences[$name], ''
        $state.Variables.Add($entry)
    }
    $state
}

# Idle runspaces are used again; one that hangs never comes back and is not missed.
function New-WorkPool {
    param([Parameter(Mandatory = $true)][string]$ScriptPath)
    [pscustomobject]@{
        State = New-WorkState -ScriptPath $ScriptPath
        Idle  = New-Object -TypeName System.Collections.Stack
    }
}

function Start-Work {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][psobject]$Pool,
        [Parameter(Mandatory = $true)][string]$Function,
        [Parameter(Mandatory = $true)][hashtable]$Parameters,
        [Parameter(Mandatory = $true)][int]$TimeoutMs
    )
    if (-not $PSCmdlet.ShouldProcess($Function, 'Start')) { return }
    if ($Pool.Idle.Count -gt 0) {
        $runspace = $Pool.Idle.Pop()
    } else {
        $runspace = [System.Management.Automation.Runspaces.RunspaceFactory]::CreateRunspace($Pool.State)
        $runspace.ThreadOptions = 'ReuseThread'
        $runspace.Open()
    }
    $shell = [System.Management.Automation.PowerShell]::Create()
    $shell.Runspace = $runspace
    [void]$shell.AddCommand('Invoke-Work').AddParameter('Function', $Function).AddParameter('Parameters', $Parameters)
    [pscustomobject]@{
        Shell     = $shell
        TimeoutMs = $TimeoutMs
        Watch     = [System.Diagnostics.Stopwatch]::StartNew()
        Handle    = $shell.BeginInvoke()
    }
}

# 5.1 gives arrays an extra property Count, and its ConvertTo-Json then writes {"value":[...],"Count":n}.
# Only where it is there: runspaces side by side do not bear changes of their types well.
function Remove-ArrayCount {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param()
    if ($null -eq (Get-TypeData -TypeName System.Array)) { return }
    if ($PSCmdlet.ShouldProcess('System.Array', 'Remove the property Count')) { Remove-TypeData -TypeName System.Array -ErrorAction Ignore }
}

# The frame around a piece of work: strictness as in the main script, and no error gets past it.
function Invoke-Work {
    param([Parameter(Mandatory = $true)][string]$Function, [Parameter(Mandatory = $true)][hashtable]$Parameters)
    Set-StrictMode -Version 3.0
    [System.Threading.Thread]::CurrentThread.CurrentCulture = [System.Globalization.CultureInfo]::InvariantCulture
    Remove-ArrayCount
    try {
        [pscustomobject]@{ Value = (& $Function @Parameters); Error = $null }
    } catch {
        [pscustomobject]@{ Value = $null; Error = (ConvertTo-ErrorObject -ErrorRecord $_) }
    }
}

function Test-WorkOverdue {
    param([Parameter(Mandatory = $true)][psobject]$Work)
    -not $Work.Handle.IsCompleted -and $Work.Watch.ElapsedMilliseconds -ge $Work.TimeoutMs
}

# Value and Error of work that has ended; a Timeout for work that has not.
function Receive-Work {
    param([Parameter(Mandatory = $true)][psobject]$Pool, [Parameter(Mandatory = $true)][psobject]$Work)
    if (-not $Work.Handle.IsCompleted) {
        # Asked to stop, not waited for: a native call does not listen.
        [void]$Work.Shell.BeginStop($null, $null)
        $seconds = [math]::Round($Work.TimeoutMs / 1000, 1)
        return [pscustomobject]@{
            Value = $null
            Error = [pscustomobject]@{ kind = 'Timeout'; message = "It did not answer within $seconds s" }
        }
    }
    try {
        $result = @($Work.Shell.EndInvoke($Work.Handle))[-1]
        # A module that continues after an error of its own has still failed.
        $said = @($Work.Shell.Streams.Error)
        if ($null -eq $result.Error -and $said.Count -gt 0) {
            $result = [pscustomobject]@{ Value = $null; Error = (ConvertTo-ErrorObject -ErrorRecord $said[0]) }
        }
        $Pool.Idle.Push($Work.Shell.Runspace)
    } catch {
        $result = [pscustomobject]@{ Value = $null; Error = (ConvertTo-ErrorObject -ErrorRecord $_) }
    } finally {
        $Work.Shell.Dispose()
    }
    $result
}

# Waits for one piece of work, at most its own time limit.
function Wait-Work {
    param([Parameter(Mandatory = $true)][psobject]$Pool, [Parameter(Mandatory = $true)][psobject]$Work)
    $left = [math]::Max(0, $Work.TimeoutMs - $Work.Watch.ElapsedMilliseconds)
    [void]$Work.Handle.AsyncWaitHandle.WaitOne([int]$left)
    Receive-Work -Pool $Pool -Work $Work
}
