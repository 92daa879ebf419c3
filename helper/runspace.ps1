# Work that may hang (a section, a step) runs in its own runspace, so that the main thread can stop waiting for it.

# A new runspace is empty: it gets the functions of this script and the modules that are loaded.
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
    # Global in the runspace: functions of modules, such as all CDXML commands, do not see the scope of their caller (PowerShell/PowerShell#4568).
    $preferences = @{ ErrorActionPreference = 'Stop'; ProgressPreference = 'SilentlyContinue'; ConfirmPreference = 'None' }
    foreach ($name in $preferences.Keys) {
        $state.Variables.Remove($name, $null)
        $entry = New-Object -TypeName System.Management.Automation.Runspaces.SessionStateVariableEntry -ArgumentList $name, $preferences[$name], ''
        $state.Variables.Add($entry)
    }
    $state
}

# Idle runspaces are reused. One that hangs is abandoned.
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

# 5.1 adds a property Count to arrays, and ConvertTo-Json then writes {"value":[...],"Count":n}.
# Removed only if it exists: changing types in parallel runspaces can fail.
function Remove-ArrayCount {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param()
    if ($null -eq (Get-TypeData -TypeName System.Array)) { return }
    if ($PSCmdlet.ShouldProcess('System.Array', 'Remove the property Count')) { Remove-TypeData -TypeName System.Array -ErrorAction Ignore }
}

# Runs one piece of work as strictly as the main script, and returns its error instead of throwing it.
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

# Value and Error of finished work; a Timeout error if it is not finished.
function Receive-Work {
    param([Parameter(Mandatory = $true)][psobject]$Pool, [Parameter(Mandatory = $true)][psobject]$Work)
    if (-not $Work.Handle.IsCompleted) {
        # It is stopped asynchronously: a native call cannot be interrupted.
        [void]$Work.Shell.BeginStop($null, $null)
        $seconds = [math]::Round($Work.TimeoutMs / 1000, 1)
        return [pscustomobject]@{
            Value = $null
            Error = [pscustomobject]@{ kind = 'Timeout'; message = "No answer within $seconds s" }
        }
    }
    try {
        $result = @($Work.Shell.EndInvoke($Work.Handle))[-1]
        # Some modules write an error and continue: that is a failure too.
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

# Waits for one piece of work, up to its time limit.
function Wait-Work {
    param([Parameter(Mandatory = $true)][psobject]$Pool, [Parameter(Mandatory = $true)][psobject]$Work)
    $left = [math]::Max(0, $Work.TimeoutMs - $Work.Watch.ElapsedMilliseconds)
    [void]$Work.Handle.AsyncWaitHandle.WaitOne([int]$left)
    Receive-Work -Pool $Pool -Work $Work
}
