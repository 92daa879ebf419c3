# The undo of a plan. It is verified: a plan is rolled back when the node is reachable, and not before.

# Backwards through every step that acted, or may have. One that cannot be undone does not keep the others from it.
function Undo-Plan {
    param([Parameter(Mandatory = $true)][psobject]$Run, [Parameter(Mandatory = $true)][string]$Reason)
    $failed = 0
    for ($i = $Run.Steps.Count - 1; $i -ge 0; $i--) {
        if ((Test-UndoDue -Run $Run -Index $i) -and -not (Undo-StepAt -Run $Run -Index $i)) { $failed++ }
    }
    $gap = New-ReachGap
    if ($null -ne $Run.DeadMan) { $gap = Restore-NodeNetwork -Run $Run }
    if ($gap.Missing -ne '') { return [ordered]@{ outcome = 'rollbackFailed'; message = "$Reason The node is not reachable: $($gap.Message)" } }
    if ($failed -gt 0) { return [ordered]@{ outcome = 'rollbackFailed'; message = "$Reason $failed undo steps failed." } }
    [ordered]@{ outcome = 'rolledBack'; message = $Reason }
}

function Test-UndoDue {
    param([Parameter(Mandatory = $true)][psobject]$Run, [Parameter(Mandatory = $true)][int]$Index)
    $begun = Find-JournalEntry -Journal $Run.Journal -Names 'step.begin' -Step $Index
    $ended = Find-JournalEntry -Journal $Run.Journal -Names 'step.end' -Step $Index
    if ($null -eq $begun -or (Get-Field -InputObject $ended -Name outcome) -eq 'already') { return $false }
    $null -eq (Find-JournalEntry -Journal $Run.Journal -Names 'undo.end' -Step $Index)
}

function Test-UndoDone {
    param([Parameter(Mandatory = $true)][psobject]$Run)
    for ($i = 0; $i -lt $Run.Steps.Count; $i++) { if (Test-UndoDue -Run $Run -Index $i) { return $false } }
    $true
}

# Whether it worked.
function Undo-StepAt {
    param([Parameter(Mandatory = $true)][psobject]$Run, [Parameter(Mandatory = $true)][int]$Index)
    $step = $Run.Steps[$Index]
    $fields = [ordered]@{ step = $Index; do = $step.do }
    Write-Journal -Journal $Run.Journal -Name 'undo.begin' -Fields $fields
    if (-not (Get-StepTable)[[string]$step.do].Undo) {
        Write-Journal -Journal $Run.Journal -Name 'undo.end' -Fields ($fields + [ordered]@{ outcome = 'none' })
        return $true
    }
    $begun = Find-JournalEntry -Journal $Run.Journal -Names 'step.begin' -Step $Index
    try {
        [void](Invoke-StepPhase -Run $Run -Step $step -Phase Undo -Saved (Get-Field -InputObject $begun -Name saved))
    } catch {
        Write-Journal -Journal $Run.Journal -Name 'undo.failed' -Fields ($fields + [ordered]@{ error = (ConvertTo-ErrorObject -ErrorRecord $_) })
        return $false
    }
    Write-Journal -Journal $Run.Journal -Name 'undo.end' -Fields ($fields + [ordered]@{ outcome = 'done' })
    Write-Audit -Run $Run -Name 'undo' -Fields ($fields + [ordered]@{ with = $step.with })
    $true
}

# Restores the saved addresses and checks whether the node is reachable; where it is not, once more from a plain NIC. What is
# still missing comes back.
function Restore-NodeNetwork {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][psobject]$Run)
    $seconds = [int]$Run.DeadMan.withinSeconds / 2
    foreach ($plain in @($false, $true)) {
        if ($PSCmdlet.ShouldProcess($Run.Journal.Id, 'Restore the node network')) {
            $messages = @(foreach ($part in @(Get-RestorePart -Run $Run -Plain $plain)) {
                    try { Receive-Checked -Pool $Run.Pool @part } catch { (ConvertTo-ErrorObject -ErrorRecord $_).message }
                })
            Write-Journal -Journal $Run.Journal -Name 'network.restored' -Fields ([ordered]@{ message = [string]::Join(' ', $messages) })
        }
        $gap = Wait-NodeReach -Run $Run -Seconds $seconds -ApiSeconds $seconds
        if (@('', 'apiServer') -contains $gap.Missing) { break }
    }
    $gap
}

# Each part for itself: where Hyper-V or HNS do not answer, the addresses are still restored.
# Flows go with their bridge, and an extension without flows lets nothing pass: it is switched off.
function Get-RestorePart {
    param([Parameter(Mandatory = $true)][psobject]$Run, [Parameter(Mandatory = $true)][bool]$Plain)
    $removed = @()
    $named = @()
    $bridgeGone = $false
    for ($i = 0; $i -lt $Run.Steps.Count; $i++) {
        $step = $Run.Steps[$i]
        $begun = Find-JournalEntry -Journal $Run.Journal -Names 'step.begin' -Step $i
        if ($step.do -ceq 'ovs.deleteBridge' -and $null -ne $begun) { $bridgeGone = $true }
        if ($step.do -cne 'hns.removeNetwork') { continue }
        $named += [string]$step.with.name
        if ($null -ne $begun -and (Test-OvsNetwork -Network (Get-Field -InputObject (Get-Field -InputObject $begun -Name saved) -Name network))) { $removed += [string]$step.with.name }
    }
    if ($Plain -or $bridgeGone) { @{ Function = 'Disable-OvsExtension'; Parameters = @{}; TimeoutMs = 30000 } }
    if ($Plain -and $named.Count -gt 0) {
        @{ Function = 'Remove-NetworkLeftover'; Parameters = @{ Names = $named; Networks = $true }; TimeoutMs = 90000 }
    } elseif ($removed.Count -gt 0) {
        @{ Function = 'Remove-NetworkLeftover'; Parameters = @{ Names = $removed; Networks = $false }; TimeoutMs = 90000 }
    }
    @{ Function = 'Restore-SavedNetwork'; Parameters = @{ Folder = $Run.Folder; Address = [string]$Run.DeadMan.address }; TimeoutMs = 120000 }
}
