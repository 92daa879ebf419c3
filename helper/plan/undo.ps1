# The undo of a plan. It is verified: a plan counts as rolled back only when the node is reachable.

# In reverse order, every step that acted or may have acted. If one cannot be undone, the others still are.
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

# Returns whether the undo succeeded.
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
    Write-Audit -Run $Run -Name 'undo' -Fields ($fields + [ordered]@{ with = $step.with })
    try {
        [void](Invoke-StepPhase -Run $Run -Step $step -Phase Undo -Saved (Get-Field -InputObject $begun -Name saved))
    } catch {
        $failure = ConvertTo-ErrorObject -ErrorRecord $_
        Write-Audit -Run $Run -Name 'undo.failed' -Fields ($fields + [ordered]@{ message = $failure.message })
        Write-Journal -Journal $Run.Journal -Name 'undo.failed' -Fields ($fields + [ordered]@{ error = $failure })
        return $false
    }
    Write-Journal -Journal $Run.Journal -Name 'undo.end' -Fields ($fields + [ordered]@{ outcome = 'done' })
    $true
}

# Restores the saved addresses and checks whether the node is reachable. If not, it repeats that on the plain NIC. Returns what
# is still missing.
function Restore-NodeNetwork {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][psobject]$Run)
    $seconds = [int]$Run.DeadMan.withinSeconds / 2
    foreach ($plain in @($false, $true)) {
        if ($PSCmdlet.ShouldProcess($Run.Journal.Id, 'Restore the node network')) {
            $messages = @(foreach ($part in @(Get-RestorePart -Run $Run -Plain $plain)) {
                    try { Receive-Checked -Pool $Run.Pool @part } catch { (ConvertTo-ErrorObject -ErrorRecord $_).message }
                })
            $restored = [ordered]@{ message = [string]::Join(' ', $messages) }
            Write-Journal -Journal $Run.Journal -Name 'network.restored' -Fields $restored
            Write-Audit -Run $Run -Name 'network.restored' -Fields $restored
        }
        $gap = Wait-NodeReach -Run $Run -Seconds $seconds -ApiSeconds $seconds
        if (@('', 'apiServer') -contains $gap.Missing) { break }
    }
    $gap
}

# The parts are independent: if Hyper-V or HNS does not answer, the addresses are still restored.
# Deleting a bridge deletes its flows, and the OVS extension drops all packets without flows: it is disabled.
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
