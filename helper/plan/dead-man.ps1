# The reachability check: is the node back on its network?

function Test-DeadManPassed {
    param([Parameter(Mandatory = $true)][psobject]$Run)
    foreach ($entry in $Run.Journal.Entries) { if ($entry.event -eq 'deadMan.end' -and $entry.outcome -eq 'ok') { return $true } }
    $false
}

function Wait-DeadMan {
    param([Parameter(Mandatory = $true)][psobject]$Run)
    $within = [int]$Run.DeadMan.withinSeconds
    Write-Journal -Journal $Run.Journal -Name 'deadMan.begin' -Fields ([ordered]@{ withinSeconds = $within })
    $gap = Wait-NodeReach -Run $Run -Seconds $within -ApiSeconds (3 * $within)
    if ($gap.Missing -eq '') {
        Write-Journal -Journal $Run.Journal -Name 'deadMan.end' -Fields ([ordered]@{ outcome = 'ok'; message = 'The node has its address and reaches the API server.' })
        return $true
    }
    Write-Journal -Journal $Run.Journal -Name 'deadMan.end' -Fields ([ordered]@{ outcome = 'failed'; message = $gap.Message })
    $false
}

# What is still missing when the time is up; returns as soon as nothing is ('' in Missing). ApiSeconds applies to a node that
# has its address and gateway and only lacks the API server, which may be down for another reason.
function Wait-NodeReach {
    param([Parameter(Mandatory = $true)][psobject]$Run, [Parameter(Mandatory = $true)][double]$Seconds, [Parameter(Mandatory = $true)][double]$ApiSeconds)
    $parameters = @{ DeadMan = $Run.DeadMan; Before = (Get-ReachBefore -Run $Run) }
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    do {
        try {
            $gap = Receive-Checked -Pool $Run.Pool -Function Test-NodeReach -Parameters $parameters -TimeoutMs 20000
        } catch {
            $gap = New-ReachGap -Missing answer -Message (ConvertTo-ErrorObject -ErrorRecord $_).message
        }
        if ($gap.Missing -eq '') { return $gap }
        $limit = $Seconds
        if ($gap.Missing -eq 'apiServer') { $limit = $ApiSeconds }
        if ($clock.Elapsed.TotalSeconds -lt $limit) { Start-Sleep -Milliseconds 1000 }
    } while ($clock.Elapsed.TotalSeconds -lt $limit)
    $gap
}

function New-ReachGap {
    param([AllowEmptyString()][string]$Missing = '', [AllowEmptyString()][string]$Message = '')
    [pscustomobject]@{ Missing = $Missing; Message = $Message }
}

# What the node reached when the plan began; no more is required afterwards. If that was not saved, everything is required.
function Get-ReachBefore {
    param([Parameter(Mandatory = $true)][psobject]$Run)
    $all = [pscustomobject]@{ gateway = $true; apiServer = $true }
    # A damaged file must not stop the guard.
    try { $before = Get-Field -InputObject (Read-SavedNetwork -Folder $Run.Folder) -Name reach } catch { return $all }
    if ($null -eq $before) { return $all }
    $before
}

# Which parts of the reachability check succeed now. Three attempts, because a ping may get lost. Runs in a runspace.
function Get-NodeReach {
    param([Parameter(Mandatory = $true)][object]$DeadMan)
    $reach = [pscustomobject]@{ gateway = $false; apiServer = $false }
    $gateway = Get-Field -InputObject $DeadMan -Name gateway
    for ($try = 0; $try -lt 3; $try++) {
        if ($null -ne $gateway -and -not $reach.gateway) { $reach.gateway = '' -eq (Get-PingFailure -Target $gateway) }
        if (-not $reach.apiServer) { $reach.apiServer = '' -eq (Get-TcpFailure -Target $DeadMan.apiServer) }
    }
    $reach
}

function Get-PingFailure {
    param([Parameter(Mandatory = $true)][string]$Target)
    try { Send-Ping -Target $Target -TimeoutMs 3000 } catch { return (ConvertTo-ErrorObject -ErrorRecord $_).message }
    ''
}

function Get-TcpFailure {
    param([Parameter(Mandatory = $true)][string]$Target)
    try { Connect-Tcp -Target $Target -TimeoutMs 5000 } catch { return (ConvertTo-ErrorObject -ErrorRecord $_).message }
    ''
}

# What fails the reachability check: 'address', 'gateway', 'apiServer', 'network' (the API server, with no gateway to show whether
# the rest of the network works), or '' for nothing. Runs in a runspace.
function Test-NodeReach {
    param([Parameter(Mandatory = $true)][object]$DeadMan, [Parameter(Mandatory = $true)][object]$Before)
    $there = @(Get-NetIPAddressSection | Where-Object -FilterScript { $_.IPAddress -eq $DeadMan.address -and $_.AddressState -eq 'Preferred' })
    if ($there.Count -eq 0) { return New-ReachGap -Missing address -Message "No adapter has address $($DeadMan.address)." }
    $gateway = Get-Field -InputObject $DeadMan -Name gateway
    $asks = $null -ne $gateway -and $Before.gateway
    if ($asks) {
        $failure = Get-PingFailure -Target $gateway
        if ($failure -ne '') { return New-ReachGap -Missing gateway -Message "Gateway ${gateway}: $failure" }
    }
    if (-not $Before.apiServer) { return New-ReachGap }
    $failure = Get-TcpFailure -Target $DeadMan.apiServer
    if ($failure -eq '') { return New-ReachGap }
    $missing = 'network'
    if ($asks) { $missing = 'apiServer' }
    New-ReachGap -Missing $missing -Message "API server $($DeadMan.apiServer): $failure"
}
