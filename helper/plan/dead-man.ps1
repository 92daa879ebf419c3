# The dead-man check: is the node back on its network? And the undo of a plan.

function Test-DeadManPassed {
    param([Parameter(Mandatory = $true)][psobject]$Run)
    foreach ($entry in $Run.Journal.Entries) { if ($entry.event -eq 'deadMan.end' -and $entry.outcome -eq 'ok') { return $true } }
    $false
}

function Wait-DeadMan {
    param([Parameter(Mandatory = $true)][psobject]$Run)
    $within = [int]$Run.DeadMan.withinSeconds
    Write-Journal -Journal $Run.Journal -Name 'deadMan.begin' -Fields ([ordered]@{ withinSeconds = $within })
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    do {
        try {
            # In quotes: nothing, cast to a string, would be null.
            $message = "$(Receive-Checked -Pool $Run.Pool -Function Test-NodeReach -Parameters @{ DeadMan = $Run.DeadMan } -TimeoutMs 20000)"
        } catch {
            $message = (ConvertTo-ErrorObject -ErrorRecord $_).message
        }
        if ($message -eq '') {
            Write-Journal -Journal $Run.Journal -Name 'deadMan.end' -Fields ([ordered]@{ outcome = 'ok'; message = 'The node has its address and reaches the API server.' })
            return $true
        }
        if ($clock.Elapsed.TotalSeconds -lt $within) { Start-Sleep -Milliseconds 1000 }
    } while ($clock.Elapsed.TotalSeconds -lt $within)
    Write-Journal -Journal $Run.Journal -Name 'deadMan.end' -Fields ([ordered]@{ outcome = 'failed'; message = $message })
    $false
}

# What is missing, or nothing. Runs in a runspace.
function Test-NodeReach {
    param([Parameter(Mandatory = $true)][object]$DeadMan)
    $there = @(Get-NetIPAddressSection | Where-Object -FilterScript { $_.IPAddress -eq $DeadMan.address -and $_.AddressState -eq 'Preferred' })
    if ($there.Count -eq 0) { return "No adapter has address $($DeadMan.address)." }
    $gateway = Get-Field -InputObject $DeadMan -Name gateway
    if ($null -ne $gateway) {
        try { Send-Ping -Target $gateway -TimeoutMs 3000 } catch { return "Gateway ${gateway}: $((ConvertTo-ErrorObject -ErrorRecord $_).message)" }
    }
    try { Connect-Tcp -Target $DeadMan.apiServer -TimeoutMs 5000 } catch { return "API server $($DeadMan.apiServer): $((ConvertTo-ErrorObject -ErrorRecord $_).message)" }
}

# Backwards through every step that acted, or may have. One that cannot be undone does not keep the others from it.
function Undo-Plan {
    param([Parameter(Mandatory = $true)][psobject]$Run, [Parameter(Mandatory = $true)][string]$Reason)
    $failed = 0
    $table = Get-StepTable
    for ($i = $Run.Steps.Count - 1; $i -ge 0; $i--) {
        $begun = Find-JournalEntry -Journal $Run.Journal -Names 'step.begin' -Step $i
        $ended = Find-JournalEntry -Journal $Run.Journal -Names 'step.end' -Step $i
        if ($null -eq $begun -or (Get-Field -InputObject $ended -Name outcome) -eq 'already') { continue }
        if ($null -ne (Find-JournalEntry -Journal $Run.Journal -Names 'undo.end' -Step $i)) { continue }
        $step = $Run.Steps[$i]
        $fields = [ordered]@{ step = $i; do = $step.do }
        Write-Journal -Journal $Run.Journal -Name 'undo.begin' -Fields $fields
        if (-not $table[[string]$step.do].Undo) {
            Write-Journal -Journal $Run.Journal -Name 'undo.end' -Fields ($fields + [ordered]@{ outcome = 'none' })
            continue
        }
        try {
            [void](Invoke-StepPhase -Run $Run -Step $step -Phase Undo -Saved (Get-Field -InputObject $begun -Name saved))
            Write-Journal -Journal $Run.Journal -Name 'undo.end' -Fields ($fields + [ordered]@{ outcome = 'done' })
        } catch {
            $failed++
            Write-Journal -Journal $Run.Journal -Name 'undo.failed' -Fields ($fields + [ordered]@{ error = (ConvertTo-ErrorObject -ErrorRecord $_) })
        }
    }
    if ($null -ne $Run.DeadMan -and [System.IO.File]::Exists((Join-Path -Path $Run.Folder -ChildPath 'network.json'))) {
        try {
            $parameters = @{ Folder = $Run.Folder; Address = [string]$Run.DeadMan.address }
            $message = "$(Receive-Checked -Pool $Run.Pool -Function Restore-SavedNetwork -Parameters $parameters -TimeoutMs 120000)"
        } catch {
            $failed++
            $message = (ConvertTo-ErrorObject -ErrorRecord $_).message
        }
        Write-Journal -Journal $Run.Journal -Name 'network.restored' -Fields ([ordered]@{ message = $message })
    }
    if ($failed -gt 0) { return [ordered]@{ outcome = 'rollbackFailed'; message = "$Reason $failed undo steps failed." } }
    [ordered]@{ outcome = 'rolledBack'; message = $Reason }
}
