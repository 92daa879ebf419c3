#Requires -Version 5.1
<#
.SYNOPSIS
    The node-side helper of `kubectl win`: reads the state of a Windows node's pod network, and runs plans.
.DESCRIPTION
    Without parameters it reads one request (a line of base64 JSON) from standard input and answers with lines of JSON.
    With -Snapshot it reads everything and prints one snapshot document, for `kubectl win doctor --from FILE`.
    With -SelfTest it checks that this Windows provides what the helper requires, and prints one document to attach to an issue.
    It registers one scheduled task, which is disabled, never starts, and is removed again. It changes nothing else.
    With -RunPlanFile it shows the plan in a file from `kubectl win cleanup --from`, asks, and runs it like any plan.
    With -RunPlan it runs a plan that is stored on this node. Only the scheduled task of the plan uses this.
    With -Guard it restores the network of the node if a plan was interrupted. Only the task of the guard uses this.
    With -Boot it runs the stored boot plan if the network does not recover after a boot. Only the boot task uses this.
    With -Keep it reads everything at an interval in seconds and keeps the newest result for requests. The installed helper uses this.
    It diagnoses nothing and runs no commands that it receives. See helper/README.md.
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

    # The node name in the cluster, if it differs from the computer name.
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
# Global: functions of modules do not see variables of a script (PowerShell/PowerShell#4568).
$global:ErrorActionPreference = 'Stop'
$global:ProgressPreference = 'SilentlyContinue'
$global:ConfirmPreference = 'None'
# Numbers and dates must have the same format on Windows of every language.
[System.Threading.Thread]::CurrentThread.CurrentCulture = [System.Globalization.CultureInfo]::InvariantCulture
