# Events of the last day about HNS, virtual switches and services.

function Get-EventSection {
    $since = (Get-Date).AddDays(-1)
    $sources = @(
        @{ LogName = 'System'; ProviderName = 'Service Control Manager' }
        @{ LogName = 'System'; ProviderName = 'Microsoft-Windows-Hyper-V-VmSwitch' }
        # In all logs that it writes to (microsoft/SDN starthnstrace.ps1).
        @{ ProviderName = 'Microsoft-Windows-Hyper-V-VfpExt' }
        @{ LogName = 'Microsoft-Windows-Host-Network-Service-Admin' }
        @{ LogName = 'Microsoft-Windows-Host-Network-Service-Operational'; Level = 1, 2, 3 }
        @{ LogName = 'Microsoft-Windows-Hyper-V-VmSwitch-Operational'; Level = 1, 2, 3 }
    )
    foreach ($source in $sources) {
        $source['StartTime'] = $since
        try {
            $events = @(Get-WinEvent -FilterHashtable $source -MaxEvents 200)
        } catch {
            # No events, or a log or provider that this Windows does not have. Messages are localised, ids are not.
            if ($_.FullyQualifiedErrorId -match '^(NoMatchingEventsFound|NoMatchingLogsFound|NoMatchingProvidersFound|LogsAndProvidersDontOverlap)') { continue }
            if ((ConvertTo-ErrorObject -ErrorRecord $_).kind -eq 'AccessDenied') { throw }
            if ($_.Exception.GetType().Name -eq 'EventLogNotFoundException') { continue }
            throw
        }
        $events | Select-Object -Property @{ Name = 'TimeCreated'; Expression = { Format-Time -Time $_.TimeCreated } },
            'LogName', 'ProviderName', 'Id', 'LevelDisplayName', 'Message'
    }
}
