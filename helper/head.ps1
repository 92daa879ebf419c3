#Requires -Version 5.1
<#
.SYNOPSIS
    The node-side helper of `kubectl win`: reads the state of a Windows node's pod network, and runs plans.
.DESCRIPTION
    Without parameters it reads one request (a line of base64 JSON) from standard input and answers with lines of JSON.
    With -Snapshot it reads everything and prints one snapshot document, for `kubectl win doctor --from FILE`.
    With -SelfTest it holds this Windows against what it takes Windows for, and prints one document to attach to an issue.
    It changes nothing but for a scheduled task that does nothing, is never started, and is removed again.
    With -RunPlanFile it shows the plan in a file that `kubectl win cleanup --from` wrote, asks, and carries it out as any plan.
    With -RunPlan it runs a plan that is stored on this node. Only the scheduled task made by the helper does so.
    With -Guard it restores the node's network where such a plan was cut short. Only the guard's task does so.
    With -Boot it repairs what a boot has broken, as it was told beforehand. Only the task for boots does so.
    With -Keep it reads everything every so many seconds and keeps the last of it for requests. An installed helper does so.
    It diagnoses nothing and runs no command that it was sent. See helper/README.md.
.EXAMPLE
    powershell -NoProfile -ExecutionPolicy Bypass -File kubectl-win-helper.ps1 -Snapshot -OutFile node.json
.EXAMPLE
    powershell -NoProfile -ExecutionPolicy Bypass -File kubectl-win-helper.ps1 -RunPlanFile plan.yaml
.EXAMPLE
    powershell -NoProfile -ExecutionPolicy Bypass -File kubectl-win-helper.ps1 -SelfTest -OutFile selftest.json
#>
[CmdletBinding(DefaultParameterSetName = 'Request')]
param(
    [Parameter(Mandatory = $true, ParameterSetName = 'Snapshot')]
    [switch]$Snapshot,

    [Parameter(Mandatory = $true, ParameterSetName = 'SelfTest')]
    [switch]$SelfTest,

    [Parameter(ParameterSetName = 'Snapshot')]
    [Parameter(ParameterSetName = 'SelfTest')]
    [string]$OutFile,

    # The node name in the cluster, where it is not that of the computer.
    [Parameter(ParameterSetName = 'Snapshot')]
    [Parameter(ParameterSetName = 'PlanFile')]
    [ValidatePattern('^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\z')]
    [string]$NodeName,

    [Parameter(Mandatory = $true, ParameterSetName = 'PlanFile')]
    [string]$RunPlanFile,

    [Parameter(Mandatory = $true, ParameterSetName = 'Keep')]
    [ValidateRange(10, 86400)]
    [int]$Keep,

    [Parameter(Mandatory = $true, ParameterSetName = 'Plan')]
    [guid]$RunPlan,

    [Parameter(Mandatory = $true, ParameterSetName = 'Guard')]
    [guid]$Guard,

    [Parameter(Mandatory = $true, ParameterSetName = 'Boot')]
    [switch]$Boot,

    [Parameter(Mandatory = $true, ParameterSetName = 'Plan')]
    [Parameter(Mandatory = $true, ParameterSetName = 'Guard')]
    [Parameter(Mandatory = $true, ParameterSetName = 'Boot')]
    [ValidatePattern('^[0-9a-f]{64}\z')]
    [string]$PlanHash,

    [Parameter(ParameterSetName = 'Plan')]
    [ValidateSet('Run', 'Resume', 'Rollback')]
    [string]$Mode = 'Run'
)

Set-StrictMode -Version 3.0
# Global: functions of modules do not see what is set in the scope of a script.
$global:ErrorActionPreference = 'Stop'
$global:ProgressPreference = 'SilentlyContinue'
$global:ConfirmPreference = 'None'
# Numbers and dates must read the same on every Windows, whatever its language.
[System.Threading.Thread]::CurrentThread.CurrentCulture = [System.Globalization.CultureInfo]::InvariantCulture
