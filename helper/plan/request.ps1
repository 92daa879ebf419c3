# The requests about plans. src/model/plan.ts says what each one answers.

function Get-RequestPlan {
    param([Parameter(Mandatory = $true)][psobject]$Request)
    $text = Get-Field -InputObject $Request -Name plan
    $hash = Get-Field -InputObject $Request -Name hash
    if ($text -isnot [string] -or $hash -isnot [string]) { throw (New-HelperError -Kind BadRequest -Message "'plan' and 'hash' must be strings.") }
    $plan = ConvertFrom-PlanText -Text $text -Hash $hash
    Assert-OwnNode -Node (Get-Field -InputObject $plan -Name node)
    [pscustomobject]@{ Text = $text; Hash = $hash; Plan = $plan }
}

# The pod has the node name of the cluster in its environment; Windows knows only the computer name.
function Assert-OwnNode {
    param([AllowNull()][object]$Node)
    $own = [string]$env:KUBECTL_WIN_NODE
    if ($own -eq '') { throw (New-HelperError -Kind BadRequest -Message 'KUBECTL_WIN_NODE is not set: whether the plan is for this node is unknown.') }
    if ($Node -cne $own) { throw (New-HelperError -Kind BadRequest -Message "The plan is for node $Node, not for $own.") }
}

function Write-PlanStatus {
    param([Parameter(Mandatory = $true)][psobject]$Writer, [Parameter(Mandatory = $true)][psobject]$Status)
    $line = [ordered]@{ type = 'plan' }
    foreach ($property in $Status.PSObject.Properties) { $line[$property.Name] = $property.Value }
    Write-Message -Writer $Writer -Message $line
}

# What each step would do now. It changes nothing: every step runs with -WhatIf.
function Invoke-PlanCheckRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    $asked = Get-RequestPlan -Request $Request
    $checks = @(Get-StepCheck -Plan $asked.Plan -ScriptPath $ScriptPath)
    Write-Message -Writer $Writer -Message ([ordered]@{ type = 'plan'; id = (Get-PlanId -Id $asked.Plan.id); check = $checks })
}

function Get-StepCheck {
    param([Parameter(Mandatory = $true)][psobject]$Plan, [Parameter(Mandatory = $true)][string]$ScriptPath)
    $pool = New-WorkPool -ScriptPath $ScriptPath
    $steps = @($Plan.steps)
    for ($i = 0; $i -lt $steps.Count; $i++) {
        $check = [ordered]@{ step = $i; do = $steps[$i].do; outcome = 'ready'; message = '' }
        try {
            $parameters = @{ Phase = 'Inspect'; Step = $steps[$i]; Saved = $null; Folder = '' }
            $seen = Receive-Checked -Pool $pool -Function Invoke-Step -Parameters $parameters -TimeoutMs 30000
            $check.message = $seen.About
            if ($seen.Done) {
                $check.outcome = 'already'
            } elseif ($seen.Blocked -ne '') {
                $check.outcome = 'blocked'
                $check.message = $seen.Blocked
            } else {
                $parameters = @{ Phase = 'Apply'; Step = $steps[$i]; Saved = $seen.Saved; Folder = ''; WhatIf = $true }
                [void](Receive-Checked -Pool $pool -Function Invoke-Step -Parameters $parameters -TimeoutMs 30000)
            }
        } catch {
            $check.outcome = 'blocked'
            $check.message = (ConvertTo-ErrorObject -ErrorRecord $_).message
        }
        [pscustomobject]$check
    }
}

function Assert-NoPlanRunning {
    foreach ($id in @(Get-PlanIdList)) {
        if (Test-PlanRunning -Id $id) { throw (New-HelperError -Kind Busy -Message "Plan $id is running on this node.") }
    }
}

function Invoke-PlanStartRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    $asked = Get-RequestPlan -Request $Request
    $id = Get-PlanId -Id $asked.Plan.id
    Assert-NoPlanRunning
    Save-Plan -Id $id -Text $asked.Text -ScriptPath $ScriptPath
    Start-PlanTask -Id $id -Hash $asked.Hash -Mode Run
    Write-PlanStatus -Writer $Writer -Status (Get-PlanStatus -Id $id)
}

function Invoke-PlanAgainRequest {
    param([psobject]$Writer, [psobject]$Request, [ValidateSet('Resume', 'Rollback')][string]$Mode)
    $id = Get-PlanId -Id (Get-Field -InputObject $Request -Name id)
    $requester = Get-Requester -Request $Request
    $text = Read-PlanText -Id $id
    # Before anything in the folder decides how to continue.
    Protect-DataRoot
    Protect-Folder -Path (Get-PlanFolder -Id $id)
    Assert-NoPlanRunning
    $state = (Get-PlanStatus -Id $id).state
    if (@('succeeded', 'rolledBack') -contains $state) { throw (New-HelperError -Kind Blocked -Message "Plan $id has ended: $state.") }
    $undone = @(Read-Journal -Id $id | Where-Object -FilterScript { $_.event -like 'undo.*' }).Count -gt 0
    if ($undone -and $Mode -eq 'Resume') { throw (New-HelperError -Kind Blocked -Message "A rollback of plan $id has begun: it cannot be resumed, only rolled back.") }
    if ($Mode -eq 'Resume') { Assert-SameNetwork -Id $id -Plan (ConvertFrom-Json -InputObject $text) }
    # The task runs only the plan that was approved: the journal has its hash.
    $begun = Read-Journal -Id $id | Where-Object -FilterScript { $_.event -eq 'plan.begin' } | Select-Object -First 1
    $hash = Get-Field -InputObject $begun -Name hash
    if ($null -eq $hash) { $hash = Get-Sha256 -Bytes ([System.Text.Encoding]::UTF8.GetBytes($text)) }
    if ($requester.user -ne '') {
        $path = Join-Path -Path (Get-PlanFolder -Id $id) -ChildPath 'requester.json'
        # It is for the audit log only: a full disk must not stop a rollback.
        try { Save-File -Path $path -Bytes ([System.Text.Encoding]::UTF8.GetBytes((ConvertTo-JsonText -Value $requester))) } catch { [System.IO.File]::Delete($path) }
    }
    Start-PlanTask -Id $id -Hash $hash -Mode $Mode
    Write-PlanStatus -Writer $Writer -Status (Get-PlanStatus -Id $id)
}

# After a reboot the agent may have recreated the network that the plan was about to remove. The plan is not for the new one, and
# its steps that use names would cut it off.
function Assert-SameNetwork {
    param([Parameter(Mandatory = $true)][string]$Id, [Parameter(Mandatory = $true)][psobject]$Plan)
    $done = @(Read-Journal -Id $Id | Where-Object -FilterScript { $_.event -eq 'step.end' } | ForEach-Object -Process { $_.step })
    $steps = @($Plan.steps)
    for ($i = 0; $i -lt $steps.Count; $i++) {
        if ($steps[$i].do -cne 'hns.removeNetwork' -or $done -contains $i) { continue }
        $with = $steps[$i].with
        $alike = @(Get-HnsObject -Kind networks | Where-Object -FilterScript { $_.Name -eq $with.name })
        if ($alike.Count -gt 0 -and @($alike | Where-Object -FilterScript { $_.ID -eq $with.id }).Count -eq 0) {
            throw (New-HelperError -Kind Blocked -Message "HNS network $($with.name) was recreated since plan $Id began: the plan cannot be resumed, only rolled back.")
        }
    }
}

function Invoke-PlanStatusRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    $id = Get-Field -InputObject $Request -Name id
    if ($null -ne $id) {
        Write-PlanStatus -Writer $Writer -Status (Get-PlanStatus -Id (Get-PlanId -Id $id))
        return
    }
    foreach ($each in @(Get-PlanIdList)) { Write-PlanStatus -Writer $Writer -Status (Get-PlanStatus -Id $each) }
}

# Journal lines as they are written, until the plan has ended, its process is gone, or the time of this request is up.
function Invoke-PlanFollowRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    $id = Get-PlanId -Id (Get-Field -InputObject $Request -Name id)
    [void](Read-PlanText -Id $id)
    $from = Get-RequestNumber -Request $Request -Name from -Default 1 -Minimum 1 -Maximum 1000000
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    while ($clock.ElapsedMilliseconds -lt $DeadlineMs - 500) {
        # Checked before the lines are read: otherwise a plan that ends in between would count as interrupted.
        $running = Test-PlanRunning -Id $id
        $last = $null
        foreach ($line in @(Read-JournalLine -Id $id)) {
            $last = ConvertFrom-Json -InputObject $line
            if ($last.seq -lt $from) { continue }
            Write-Line -Writer $Writer -Json $line
            $from = $last.seq + 1
        }
        if (-not $running -and $null -ne $last) {
            if ($last.event -ne 'plan.end') { Write-PlanStatus -Writer $Writer -Status (Get-PlanStatus -Id $id) }
            return
        }
        Start-Sleep -Milliseconds 250
    }
}

# Only ended plans: one that failed or was interrupted can still be resumed or rolled back.
function Remove-EndedPlan {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][int]$OlderThanDays)
    foreach ($id in @(Get-PlanIdList)) {
        $status = Get-PlanStatus -Id $id
        if (@('succeeded', 'rolledBack') -notcontains $status.state) { continue }
        if ([System.IO.File]::GetLastWriteTimeUtc((Get-JournalPath -Id $id)) -gt [datetime]::UtcNow.AddDays(-$OlderThanDays)) { continue }
        if (-not $PSCmdlet.ShouldProcess($id, 'Remove')) { continue }
        [System.IO.Directory]::Delete((Get-PlanFolder -Id $id), $true)
        $status
    }
}

function Invoke-PlanPruneRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    $days = Get-RequestNumber -Request $Request -Name olderThanDays -Default 30 -Minimum 0 -Maximum 3650
    foreach ($status in @(Remove-EndedPlan -OlderThanDays $days)) {
        $requester = Get-Requester -Request $Request
        Write-AuditEntry -Name 'plan.prune' -Fields ([ordered]@{ user = $requester.user; context = $requester.context; plan = $status.id })
        Write-PlanStatus -Writer $Writer -Status ($status | Select-Object -Property '*', @{ Name = 'pruned'; Expression = { $true } })
    }
}

function Get-PlanSection {
    foreach ($id in @(Get-PlanIdList)) {
        $status = ConvertTo-JsonText -Value (Get-PlanStatus -Id $id)
        New-RawJson -Text ($status.TrimEnd('}') + ',"journal":[' + [string]::Join(',', @(Read-JournalLine -Id $id)) + ']}')
    }
}
